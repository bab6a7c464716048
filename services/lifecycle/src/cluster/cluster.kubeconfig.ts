import { CLUSTER, findCondition, KUBERNETES_CLUSTER, type Cluster } from '@crate/api';
import { hasCode, PlatformError } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import type { SubresourceReader } from '@crate/resource-server';

const ASK_AGAIN_MS = 15_000;

/**
 * Reads a cluster's admin kubeconfig from cluster-mgmt. Throws Conflict (`KubeconfigNotReady`) until Kubernetes is up, with how
 * far the cluster is.
 */
export function clusterKubeconfig(clusterMgmt: ResourceApi): SubresourceReader {
  return async (cluster, _ref, context) => {
    const { group, version, plural } = KUBERNETES_CLUSTER;
    const { name, namespace = '' } = cluster.metadata;
    try {
      return await clusterMgmt.readSubresource({ group, version, plural, name, namespace }, 'kubeconfig', context);
    } catch (error) {
      if (!hasCode(error, 'NotFound', 'Conflict')) throw error;
      throw notReady(cluster as Cluster, error);
    }
  };
}

function notReady({ metadata, status }: Cluster, cause: unknown): PlatformError {
  const { name } = metadata;
  const isLeaving = metadata.deletionTimestamp !== undefined;
  const reason = findCondition(status?.conditions, 'Ready')?.reason ?? 'NotStarted';
  const progress = status?.progress?.message ?? 'Not started yet';
  const why = isLeaving ? 'it is being deleted' : `Kubernetes is not up yet (${reason}; ${progress})`;
  return new PlatformError('Conflict', `There is no kubeconfig of cluster "${name}": ${why}`, {
    cause,
    retry: isLeaving ? 'never' : 'backoff',
    details: {
      group: CLUSTER.group,
      kind: CLUSTER.plural,
      name,
      reason: 'KubeconfigNotReady',
      ...(isLeaving ? {} : { retryAfterMs: ASK_AGAIN_MS }),
    },
  });
}
