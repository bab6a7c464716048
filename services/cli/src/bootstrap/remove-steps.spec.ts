import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { toStatus, unavailable } from '@crate/errors';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PivotSide } from '../pivot/pivot-side.js';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { writeSecretFile } from '../up/secret-file.js';
import { REMOVE_STEPS, type RemovalScope } from './remove-steps.js';
import type { BootstrapRequest } from './request.js';

const REQUEST = { cloud: 'sandbox', name: 'platform', timeoutMs: 1, drainTimeoutMs: 1 } as BootstrapRequest;
const RESOURCES = [{ name: 'secrets', kind: 'Secret', namespaced: true, verbs: ['get'] }];

let cluster: FakeApi;
let dir: BootstrapDir;
let key: string;
let said: string[];
beforeEach(async () => {
  cluster = await FakeApi.start(answer);
  dir = new BootstrapDir(cluster.dataDir);
  await copyFile(dir.adminKubeconfig(), dir.clusterKubeconfig());
  [key, said] = ['1', []];
});
afterEach(async () => cluster.stop());

function answer(_method: string, path: string): FakeAnswer {
  if (key === '') return { status: 503, body: toStatus(unavailable('no leader')) };
  if (path === '/api/v1') return { body: { kind: 'APIResourceList', groupVersion: 'v1', resources: RESOURCES } };
  if (!/\/secrets\/crate-.*-encryption$/.test(path)) return undefined;
  return { body: { data: { [`${key}.key`]: Buffer.from(`key ${key}`).toString('base64') } } };
}

/** There is no database: the move ends before it begins. */
async function takeOver(): Promise<void> {
  const singleton = { side: PivotSide.of('the temporary platform', dir.removal.root) };
  const scope = { request: REQUEST, dir, singleton, say: (line: string) => said.push(line) };
  const step = REMOVE_STEPS.find(({ name }) => name === 'pivot');
  await expect(step?.run(scope as unknown as RemovalScope)).rejects.toMatchObject({ code: 'ENOENT' });
}

describe('the takeover of a removal', () => {
  it('has the keys that the platform has by now, each time', async () => {
    await takeOver();
    key = '2';
    await takeOver();
    const ofLifecycle = ['1.key', '2.key'].map((name) => readFile(join(dir.keys(), 'lifecycle', name), 'utf8'));
    expect(await Promise.all(ofLifecycle)).toEqual(['key 1', 'key 2']);
    expect(said).toEqual([]);
  });

  it('goes on with those that it has while the cluster does not answer', async () => {
    await takeOver();
    key = '';
    await takeOver();
    expect(said).toEqual([expect.stringMatching(/^Going on with the keys fetched before: /)]);
  });
});

describe('the end of a removal', () => {
  it('leaves no password of a database, no kubeconfig and no key, neither of the platform nor of temporary ones', async () => {
    await takeOver();
    for (const path of [dir.databaseUrl(), dir.releaseSecrets(), dir.serverSecrets()]) await writeFile(path, 'secret');
    for (const kept of [dir.singleton, dir.removal]) {
      await writeSecretFile(join(kept.service('cloud-mgmt'), 'encryption', '1.key'), 'key 1');
      await writeSecretFile(join(kept.root, 'postgres', 'pages'), 'sealed');
    }
    const step = REMOVE_STEPS.find(({ name }) => name === 'end');
    const scope = { request: REQUEST, dir, singleton: { end: () => Promise.resolve() } };
    await step?.run(scope as unknown as RemovalScope);
    const left = (await readdir(dir.root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(left.map(({ name }) => name).filter((name) => /secret|url|kubeconfig|1\.key/.test(name))).toEqual([]);
    expect(left.filter(({ name }) => name === 'pages')).toHaveLength(2);
  });
});
