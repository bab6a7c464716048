import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureKeyPair, FileKeyStore, namesOf } from '@crate/auth';
import { formatKubeconfig, kubeconfigFor } from '@crate/kubernetes';
import { keysDirectory } from '../secrets/encryption-keys.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { AwsTarget } from './aws-target.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { ensureReleaseSecrets, writeKeyFiles } from './release-secrets.js';
import type { BootstrapRequest } from './request.js';
import { SandboxTarget } from './sandbox-target.js';
import { ensureServerSecrets } from './servers/server-secrets.js';

/** As long as such names get. */
const BALANCER = 'platform-0a1b2c3d-api-0123456789abcdef.elb.eu-central-1.amazonaws.com';
const REQUEST: BootstrapRequest = {
  ...({ cloud: 'aws', name: 'platform', region: 'eu-central-1', account: '123456789012' } as const),
  ...{ managementNetworks: ['203.0.113.0/24'], hosts: ['crate.example.com', BALANCER] },
  ...{ kubernetesVersion: 'v1.32.4', controlPlane: 3, nodes: 3, machineType: 'm5.xlarge' },
  ...{ timeoutMs: 1_000, drainTimeoutMs: 1_000 },
};

describe('ensureReleaseSecrets', () => {
  let dir: BootstrapDir;
  beforeEach(async () => {
    dir = new BootstrapDir(await mkdtemp(join(tmpdir(), 'crate-release-')));
    const cluster = { name: 'platform', server: `https://${BALANCER}:6443`, credentials: { token: 't' } };
    await writeFile(dir.clusterKubeconfig(), formatKubeconfig(kubeconfigFor(cluster)));
    await writeFile(dir.databaseUrl(), (await ensureServerSecrets(dir)).databaseUrl);
    for (const service of SERVICE_ORDER) await mkdir(keysDirectory(dir.singleton, service), { recursive: true });
  });
  afterEach(() => rm(dir.root, { recursive: true }));

  const certificateFor = async (target: AwsTarget | SandboxTarget, hosts: readonly string[]): Promise<string> => {
    const { secrets } = await ensureReleaseSecrets({ dir, request: { ...REQUEST, hosts }, target });
    return secrets.find(({ metadata }) => metadata.name === 'crate-api-tls')?.stringData['tls.crt'] ?? '';
  };

  it('certifies the load balancer of the cluster as a name of the API in AWS, besides those that somebody gives', async () => {
    const certificate = await certificateFor(new AwsTarget(REQUEST, undefined), REQUEST.hosts);
    const names = namesOf(certificate);
    expect(names).toEqual(expect.arrayContaining(['crate.example.com', BALANCER, 'crate-api.crate-system.svc']));
    expect(names.filter((name) => name === BALANCER)).toHaveLength(1);
  });

  it('gives the certificate a subject that X.509 takes, though the name of the load balancer is longer', async () => {
    const certificate = new X509Certificate(await certificateFor(new AwsTarget(REQUEST, undefined), []));
    expect(certificate.subject).toBe('CN=crate-api');
    expect(certificate.checkHost(BALANCER)).toBe(BALANCER);
  });

  it('gives the platform the public keys that the singleton signs with, for what is verified later, and not for tokens', async () => {
    const singleton = { privateDir: join(dir.root, 'private'), trustDir: dir.singleton.trust() };
    const kid = await ensureKeyPair(singleton, 'lifecycle');
    const { secrets } = await ensureReleaseSecrets({ dir, request: REQUEST, target: new SandboxTarget(REQUEST) });
    await writeKeyFiles(dir.keys(), secrets);
    const store = new FileKeyStore({ privateDir: '', trustDir: join(dir.keys(), 'trust') }, 'lifecycle');
    expect(store.findRecordKey('lifecycle', kid)).toBeDefined();
    expect(store.findPublicKey('lifecycle', kid)).toBeUndefined();
    const trust = secrets.find(({ metadata }) => metadata.name === 'crate-trust');
    expect(JSON.stringify(trust)).not.toContain('PRIVATE');
  });

  it('certifies no address of the simulated cluster', async () => {
    expect(namesOf(await certificateFor(new SandboxTarget(REQUEST), []))).not.toContain(BALANCER);
  });
});
