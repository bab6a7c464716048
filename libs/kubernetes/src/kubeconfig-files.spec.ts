import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currentEntries, parseKubeconfig } from './kubeconfig.js';
import { kubeconfigFileSource, serviceAccountSource } from './kubeconfig-files.js';
import { HttpTargetCluster } from './http-target-cluster.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';
import { TestApiServer } from './testing/api-server.js';

let directory: string;
let server: TestApiServer;
let cluster: HttpTargetCluster;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'service-account-'));
  server = await TestApiServer.start(new InMemoryTargetCluster());
});
afterEach(async () => {
  await cluster.close();
  await server.stop();
  await rm(directory, { recursive: true });
});

function path(name: string): string {
  return join(directory, name);
}

/** As kubelet writes it: with what the API server was started with. */
async function project(token: string): Promise<void> {
  const { cluster: entry } = currentEntries(parseKubeconfig(server.kubeconfig()));
  await writeFile(path('ca.crt'), Buffer.from(String(entry['certificate-authority-data']), 'base64'));
  await writeFile(path('token'), `${token}\n`);
}

function tokens(): unknown[] {
  return server.seen.map(({ headers }) => headers.authorization);
}

describe('the way in of a ServiceAccount', () => {
  beforeEach(() => {
    const files = { server: server.url, tokenFile: path('token'), caFile: path('ca.crt') };
    cluster = new HttpTargetCluster(serviceAccountSource(files));
  });

  it('is that of the newest token, from the next request on, and of one connection while it stays', async () => {
    await project('first');
    await cluster.version();
    await cluster.version();
    expect(server.connections).toBe(1);
    await project('second');
    await cluster.version();
    expect(tokens()).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
  });

  it('is named as missing while it is, and taken as soon as it is there', async () => {
    await expect(cluster.version()).rejects.toMatchObject({
      code: 'Unavailable',
      details: { reason: 'CredentialsMissing' },
    });
    await project('first');
    expect(await cluster.version()).toBe('v1.31.4');
  });

  it('trusts the authority of the file alone', async () => {
    await project('first');
    const other = await TestApiServer.start(new InMemoryTargetCluster());
    const files = { server: other.url, tokenFile: path('token'), caFile: path('ca.crt') };
    const stranger = new HttpTargetCluster(serviceAccountSource(files));
    await expect(stranger.version()).rejects.toMatchObject({ details: { reason: 'CertificateRejected' } });
    expect(other.seen).toEqual([]);
    await stranger.close();
    await other.stop();
  });
});

describe('the way in of a kubeconfig file', () => {
  beforeEach(() => {
    cluster = new HttpTargetCluster(kubeconfigFileSource(path('kubeconfig')));
  });

  it('is read anew', async () => {
    await writeFile(path('kubeconfig'), server.kubeconfig('first'));
    await cluster.version();
    await writeFile(path('kubeconfig'), server.kubeconfig('second'));
    await cluster.version();
    expect(tokens()).toEqual(['Bearer first', 'Bearer second']);
  });

  it('runs nothing of what a file says', async () => {
    await writeFile(path('kubeconfig'), server.kubeconfig().replace('token: token', 'exec: { command: touch }'));
    await expect(cluster.version()).rejects.toMatchObject({ code: 'BadRequest' });
  });
});
