import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { unavailable } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { aCluster, readyStatus } from '../testing/a-cluster.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { bringUpExample } from './bring-up-example.js';
import type { DataDir } from './data-dir.js';

const KINDS = { projects: 'Project', cloudaccounts: 'CloudAccount', clusters: 'Cluster' };

let dir: DataDir;
beforeEach(async () => {
  dir = await temporaryDataDir();
  jest.spyOn(console, 'log').mockReturnValue();
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await removeDataDir(dir);
});

it('asks for a kubeconfig that is good for a year, since the next start writes it anew at the earliest', async () => {
  const resources = Object.entries(KINDS).map(([name, kind]) => ({ name, kind, namespaced: kind !== 'Project' }));
  const asked: string[] = [];
  const client = {
    get: () => Promise.resolve({ resources }),
    find: () => Promise.resolve(aCluster(readyStatus())),
    kubeconfig: (path: string) => {
      asked.push(path);
      return Promise.reject(unavailable('That is all this is about'));
    },
  } as unknown as ApiClient;
  const signal = new AbortController().signal;
  await expect(bringUpExample({ client, dir, signal }, 'examples/quickstart.yaml')).rejects.toThrow(
    'all this is about',
  );
  expect(asked).toEqual([expect.stringMatching(/\/clusters\/demo\/kubeconfig\?expirationSeconds=31536000$/)]);
});
