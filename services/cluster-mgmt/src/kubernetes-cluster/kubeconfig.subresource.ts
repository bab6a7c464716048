import { KUBERNETES_CLUSTER, type KubeObject } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { SecretStore } from '@crate/secrets';
import { SECRET_KINDS } from '../engine/secret-kinds.js';

const ASK_AGAIN_MS = 15_000;

/** Hands out the administrator's kubeconfig of a cluster, as YAML. Throws Conflict (`KubeconfigNotReady`) while there is none. */
export function kubeconfigReader(secrets: SecretStore): (cluster: KubeObject) => Promise<string> {
  return async (cluster) => {
    const stored = await secrets.find(cluster.metadata.uid, SECRET_KINDS.kubeconfig);
    if (!stored) throw notReady(cluster);
    return Buffer.from(stored.plain).toString('utf8');
  };
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
