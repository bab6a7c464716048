import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@crate/testing';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { setWayIn } from '../kubeconfig/way-in.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { AdminAccess } from './admin-access.js';
import type { DataDir } from './data-dir.js';
import { ensureServiceKeys } from './services.js';

const EVERY_MS = 20;
const DAY_MS = 86_400_000;
const OTHERS = { cluster: 'prod', user: 'ada' };
const API = 'https://127.0.0.1:6440';

let dir: DataDir;
let access: AdminAccess;
let said: string[];
/** How far the clock went on, as while the machine sleeps. */
let passedMs: number;
beforeEach(async () => {
  dir = await temporaryDataDir();
  await dir.prepare();
  await ensureServiceKeys(dir);
  said = [];
  passedMs = 0;
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
  access = new AdminAccess(dir, (line) => said.push(line), EVERY_MS);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await access.stop();
  await removeDataDir(dir);
});

async function setToken(token: string): Promise<void> {
  await KubeconfigFile.update(dir.adminKubeconfig(), (file) => file.set('users', 'admin', { token }));
}

async function token(): Promise<string | undefined> {
  return (await KubeconfigFile.read(dir.adminKubeconfig())).find<{ token: string }>('users', 'admin')?.token;
}

async function context(): Promise<object | undefined> {
  return (await KubeconfigFile.read(dir.adminKubeconfig())).find('contexts', 'crate');
}

describe('the access of the administrator', () => {
  it('is renewed for as long as the platform runs, and what else is in the kubeconfig stays', async () => {
    const { ca, certificateFile } = await access.write(API);
    await KubeconfigFile.update(dir.adminKubeconfig(), (file) =>
      setWayIn(file, 'team-a-demo', { cluster: { server: 'https://demo' }, user: { token: 't' } }),
    );
    await setToken('ended');
    await rm(certificateFile);
    passedMs = DAY_MS;
    access.keep(API);
    await eventually(async () => expect(await token()).toMatch(/^ey/));
    const file = await KubeconfigFile.read(dir.adminKubeconfig());
    expect(file.names('contexts')).toEqual(['crate', 'team-a-demo']);
    expect(file.find('clusters', 'crate')).toEqual({
      server: API,
      'certificate-authority-data': Buffer.from(ca).toString('base64'),
    });
  });

  it('stays as it is for a day of the clock, however often it is looked at', async () => {
    await access.write(API);
    await setToken('kept');
    access.keep(API);
    await delay(5 * EVERY_MS);
    expect(await token()).toBe('kept');
    passedMs = DAY_MS;
    await eventually(async () => expect(await token()).toMatch(/^ey/));
  });

  it.each([
    { reason: 'that is gone', change: (file: KubeconfigFile) => file.remove('contexts', 'crate') },
    { reason: 'of another', change: (file: KubeconfigFile) => file.set('contexts', 'crate', OTHERS) },
  ])('has its context put back, $reason', async ({ change }) => {
    await access.write(API);
    await KubeconfigFile.update(dir.adminKubeconfig(), change);
    passedMs = DAY_MS;
    access.keep(API);
    await eventually(async () => expect(await context()).toMatchObject({ cluster: 'crate', user: 'admin' }));
  });

  it('keeps the namespace that people work in', async () => {
    await access.write(API);
    const own = { cluster: 'crate', user: 'admin', namespace: 'team-a' };
    await KubeconfigFile.update(dir.adminKubeconfig(), (file) => file.set('contexts', 'crate', own));
    await setToken('ended');
    passedMs = DAY_MS;
    access.keep(API);
    await eventually(async () => expect(await token()).toMatch(/^ey/));
    expect(await context()).toEqual(own);
  });

  it('is renewed no more once it stops', async () => {
    await access.write(API);
    access.keep(API);
    await access.stop();
    await setToken('ended');
    passedMs = DAY_MS;
    await delay(5 * EVERY_MS);
    expect(await token()).toBe('ended');
  });

  it('is tried again where it cannot be renewed', async () => {
    await access.write(API);
    await removeDataDir(dir);
    passedMs = DAY_MS;
    access.keep(API);
    await eventually(() => expect(said.length).toBeGreaterThan(1));
    expect(said[0]).toMatch(/^Cannot renew /);
  });
});
