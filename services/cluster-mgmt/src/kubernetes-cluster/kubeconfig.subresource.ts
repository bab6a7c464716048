import { KUBERNETES_CLUSTER, type KubeObject, type KubernetesCluster } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { SecretStore } from '@crate/secrets';
import { SECRET_KINDS } from '../engine/secret-kinds.js';
import { isExistingCluster } from './kubernetes-cluster.scope.js';

const ASK_AGAIN_MS = 15_000;

/**
 * Hands out the administrator's kubeconfig of a cluster, as YAML. Throws Conflict: `KubeconfigNotReady` while there is none,
 * `ManagedOutside` of an existing cluster.
 */
export function kubeconfigReader(secrets: SecretStore): (cluster: KubeObject) => Promise<string> {
  return async (cluster) => {
    if (isExistingCluster(cluster as KubernetesCluster)) throw managedOutside(cluster);
    const stored = await secrets.find(cluster.metadata.uid, SECRET_KINDS.kubeconfig);
    if (!stored) throw notReady(cluster);
    return Buffer.from(stored.plain).toString('utf8');
  };
}

/** There the way in is that of the pod itself, which is nobody else's. */
function managedOutside({ metadata: { name } }: KubeObject): PlatformError {
  const text = `Cluster "${name}" was there before Crate, which hands out no way in`;
  const details = { group: KUBERNETES_CLUSTER.group, kind: KUBERNETES_CLUSTER.plural, name, reason: 'ManagedOutside' };
  return new PlatformError('Conflict', text, { retry: 'never', details });
}

/** Not a failure of the service: the cluster is not that far, or on its way out. */
function notReady({ metadata }: KubeObject): PlatformError {
  const { name, deletionTimestamp } = metadata;
  const why = deletionTimestamp === undefined ? 'Kubernetes is not up yet' : 'the cluster is being deleted';
  return new PlatformError('Conflict', `There is no kubeconfig of cluster "${name}": ${why}`, {
    retry: deletionTimestamp === undefined ? 'backoff' : 'never',
    details: {
      group: KUBERNETES_CLUSTER.group,
      kind: KUBERNETES_CLUSTER.plural,
      name,
      reason: 'KubeconfigNotReady',
      ...(deletionTimestamp === undefined ? { retryAfterMs: ASK_AGAIN_MS } : {}),
    },
  });
}
