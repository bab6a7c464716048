import { PLATFORM_STATUS_PATH } from '@crate/api';
import { FileKeyStore, LocalTokenVerifier } from '@crate/auth';
import { toStatus, unauthenticated } from '@crate/errors';
import { firstAdminToken, NAMESPACE, RELEASE, releaseSecrets, type ReleaseSecrets } from '@crate/helm-chart';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeApi, type FakeAnswer, type FakeHeaders } from '../testing/fake-api.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { BOOTSTRAP_STEPS } from './bootstrap-steps.js';
import { clusterHost } from './cluster-host.js';
import { findReleaseSecrets, forgetAdminKey, writeKeyFiles } from './release-secrets.js';
import { REMOVE_STEPS, type RemovalScope } from './remove-steps.js';

const RELEASE_OPTIONS = { fullname: RELEASE, namespace: NAMESPACE, hosts: [] };

let platform: FakeApi;
let dir: BootstrapDir;
let made: ReleaseSecrets;
let port: number;
beforeEach(async () => {
  // A week and a day ago.
  made = await releaseSecrets({ ...RELEASE_OPTIONS, adminDays: -1 });
  const { 'tls.crt': cert = '', 'tls.key': key = '' } =
    made.secrets.find(({ metadata }) => metadata.name === `${RELEASE}-api-tls`)?.stringData ?? {};
  platform = await FakeApi.start((_method, path, _body, headers) => answer(path, headers), { cert, key });
  dir = new BootstrapDir(platform.dataDir);
  // As before the last step: there is no kubeconfig of the administrator yet.
  await rename(dir.adminKubeconfig(), dir.clusterKubeconfig());
  port = Number(/127\.0\.0\.1:(\d+)/.exec(await readFile(dir.clusterKubeconfig(), 'utf8'))?.[1]);
  await keep(made);
  await writeKeyFiles(dir.keys(), made.secrets);
});
afterEach(async () => platform.stop());

/** Lets in whom the Secrets of the release let in. */
function answer(path: string, { authorization = '' }: FakeHeaders): FakeAnswer | Promise<FakeAnswer> {
  const trusted = new FileKeyStore({ privateDir: '', trustDir: join(dir.keys(), 'trust') }, 'lifecycle');
  return new LocalTokenVerifier(trusted).verify(authorization.replace('Bearer ', '')).then(
    () => ({ body: path === PLATFORM_STATUS_PATH ? { health: 'Ok', services: [] } : { items: [] } }),
    () => ({ status: 401, body: toStatus(unauthenticated('The token has ended')) }),
  );
}

async function keep(secrets: ReleaseSecrets): Promise<void> {
  await writeFile(dir.releaseSecrets(), JSON.stringify(secrets));
}

function scope(kubeconfig?: string): RemovalScope {
  return {
    ...{ dir, request: { name: 'platform', timeoutMs: 60_000 }, say: () => undefined },
    target: { findApi: async () => ({ host: await clusterHost(dir), port }) },
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  } as unknown as RemovalScope;
}

async function available(): Promise<void> {
  await BOOTSTRAP_STEPS.find(({ name }) => name === 'available')?.run(scope());
}

async function clusters(kubeconfig?: string): Promise<void> {
  await REMOVE_STEPS.find(({ name }) => name === 'clusters')?.run(scope(kubeconfig));
}

describe('the first administrator', () => {
  it('is let in by a bootstrap that goes on after the token that it began with has ended', async () => {
    await expect(available()).resolves.toBeUndefined();
  });

  it('is let in by a removal of what has taken over and was not set up to its end', async () => {
    await expect(clusters()).resolves.toBeUndefined();
  });

  it('is let in by a removal of what an older release began, as long as the token lasts that it began with', async () => {
    await keep({ ...made, adminToken: firstAdminToken(made.adminKey ?? '', 1) });
    await forgetAdminKey(dir);
    await expect(clusters()).resolves.toBeUndefined();
  });

  it('is not asked for where another one is named', async () => {
    await expect(clusters(join(dir.root, 'missing'))).rejects.toThrow('missing, which is not there');
  });

  it('is refused at once where there is nothing to let him in by, with what is left to do', async () => {
    await forgetAdminKey(dir);
    expect(await findReleaseSecrets(dir)).toEqual({ ...made, adminKey: undefined });
    await expect(available()).rejects.toMatchObject({
      code: 'Conflict',
      details: { reason: 'TokenRefused', remedy: expect.stringContaining('--rollback') },
    });
  });
});
