import { describe, expect, it } from '@jest/globals';
import { InMemorySecretStore } from '@crate/secrets';
import { BARE_SPEC } from '../testing/builders.js';
import { LocalClients } from '../testing/local-clients.js';
import { KUBERNETES_CLUSTER, type KubernetesCluster } from '@crate/api';
import { kubeconfigReader } from './kubeconfig.subresource.js';

describe('kubeconfigReader', () => {
  it('hands out the newest kubeconfig, and NotFound while there is none', async () => {
    const secrets = new InMemorySecretStore();
    const read = kubeconfigReader(secrets);
    const cluster = await new LocalClients().create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec: BARE_SPEC });
    await expect(read(cluster)).rejects.toMatchObject({ code: 'NotFound' });

    await secrets.put(cluster.metadata.uid, 'kubeconfig', Buffer.from('old'));
    await secrets.put(cluster.metadata.uid, 'kubeconfig', Buffer.from('new'));
    expect(await read(cluster)).toBe('new');
  });
});
