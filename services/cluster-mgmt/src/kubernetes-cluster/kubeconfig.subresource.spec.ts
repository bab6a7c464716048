import { beforeEach, describe, expect, it } from '@jest/globals';
import { KUBERNETES_CLUSTER, type KubernetesCluster } from '@crate/api';
import { toStatus } from '@crate/errors';
import { InMemorySecretStore } from '@crate/secrets';
import { BARE_SPEC } from '../testing/builders.js';
import { LocalClients } from '../testing/local-clients.js';
import { kubeconfigReader } from './kubeconfig.subresource.js';

let secrets: InMemorySecretStore;
let cluster: KubernetesCluster;
beforeEach(async () => {
  secrets = new InMemorySecretStore();
  cluster = await new LocalClients().create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec: BARE_SPEC });
});

async function refusal(): Promise<ReturnType<typeof toStatus>> {
  const thrown = await kubeconfigReader(secrets)(cluster).catch((error: unknown) => error);
  return toStatus(thrown);
}

describe('kubeconfigReader', () => {
  it('hands out the newest kubeconfig', async () => {
    await secrets.put(cluster.metadata.uid, 'kubeconfig', Buffer.from('old'));
    await secrets.put(cluster.metadata.uid, 'kubeconfig', Buffer.from('new'));
    expect(await kubeconfigReader(secrets)(cluster)).toBe('new');
  });

  it('says while there is none that Kubernetes is not up yet, and when to ask again', async () => {
    expect(await refusal()).toMatchObject({
      code: 409,
      message: 'There is no kubeconfig of cluster "demo": Kubernetes is not up yet',
      details: { name: 'demo', retryAfterSeconds: 15 },
    });
  });

  it('does not ask anybody to wait for that of a cluster that goes', async () => {
    cluster = { ...cluster, metadata: { ...cluster.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } };
    const status = await refusal();
    expect(status.message).toContain('being deleted');
    expect(status.details).not.toHaveProperty('retryAfterSeconds');
  });
});
