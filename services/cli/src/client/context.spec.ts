import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { setWayIn } from '../kubeconfig/way-in.js';
import { FakeApi } from '../testing/fake-api.js';
import { DataDir } from '../up/data-dir.js';
import { ApiClient } from './api-client.js';
import { contextOf } from './context.js';

const ELSEWHERE = { cluster: { server: 'https://elsewhere.invalid' }, user: { token: 't' } };

let api: FakeApi;
let kubeconfig: string;
beforeEach(async () => {
  api = await FakeApi.start(() => undefined);
  kubeconfig = new DataDir(api.dataDir).adminKubeconfig();
});
afterEach(async () => api.stop());

async function writeWayIn(name: string): Promise<void> {
  await KubeconfigFile.update(kubeconfig, (file) => {
    setWayIn(file, name, ELSEWHERE);
    file.currentContext = name;
  });
}

describe('--data-dir', () => {
  it('means the platform on it, whatever else its kubeconfig was given', async () => {
    await writeWayIn('work');
    const found = await contextOf({ dataDir: api.dataDir });
    expect(found).toMatchObject({ context: 'crate', user: 'admin' });
    expect(found.api.server).toMatch(/^https:\/\/127\.0\.0\.1:/);
  });

  it('takes an empty namespace of a context for none, as kubectl does', async () => {
    await KubeconfigFile.update(kubeconfig, (file) => {
      file.set('contexts', 'crate', { cluster: 'crate', user: 'admin', namespace: '' });
    });
    expect(await contextOf({ dataDir: api.dataDir })).toMatchObject({ namespace: 'default' });
  });

  it('asks nobody else where the administrator was written over', async () => {
    await writeWayIn('crate');
    await expect(contextOf({ dataDir: api.dataDir })).rejects.toMatchObject({ code: 'Conflict' });
    await expect(ApiClient.fromKubeconfig(kubeconfig)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
