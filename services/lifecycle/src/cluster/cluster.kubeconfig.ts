import { CLUSTER, findCondition, isExisting, KUBERNETES_CLUSTER, type Cluster } from '@crate/api';
import { isPlatformError, PlatformError } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import type { SubresourceReader } from '@crate/resource-server';
import { MANAGED_OUTSIDE } from '../in-cluster/managed-outside.js';

const ASK_AGAIN_MS = 15_000;
const NOT_READY = 'KubeconfigNotReady';

/**
 * Reads a cluster's admin kubeconfig from cluster-mgmt. Throws Conflict (`KubeconfigNotReady`) until Kubernetes is up, with how
 * far the cluster is, and Conflict (`ManagedOutside`) for one that was there before.
 */
export function clusterKubeconfig(clusterMgmt: ResourceApi): SubresourceReader {
  return async (cluster, _ref, context, query) => {
    if (isExisting(cluster as Cluster)) throw notOurs(cluster as Cluster);
    const { group, version, plural } = KUBERNETES_CLUSTER;
    const { name, namespace = '' } = cluster.metadata;
    const ref = { group, version, plural, name, namespace };
    try {
      return await clusterMgmt.readSubresource(ref, 'kubeconfig', context, query);
    } catch (error) {
      if (!isNotThere(error)) throw error;
      throw notReady(cluster as Cluster, error);
    }
  };
}

/** Other conflicts say of a cluster that is up why nothing can be signed. */
function isNotThere(error: unknown): boolean {
  if (!isPlatformError(error)) return false;
  const { code, details } = error;
  const reason = details.reason ?? details.causes?.[0]?.reason ?? NOT_READY;
  return code === 'NotFound' || (code === 'Conflict' && reason === NOT_READY);
}

/** The way in that Crate has is that of its own pods. */
function notOurs({ metadata: { name } }: Cluster): PlatformError {
  const remedy = 'Take the kubeconfig that you have of this cluster, or ask those who made it';
  return new PlatformError(
    'Conflict',
    `Cluster "${name}" was there before Crate, which hands out no way in. ${remedy}`,
    {
      retry: 'never',
      details: { group: CLUSTER.group, kind: CLUSTER.plural, name, reason: MANAGED_OUTSIDE, remedy },
    },
  );
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
      reason: NOT_READY,
      ...(isLeaving ? {} : { retryAfterMs: ASK_AGAIN_MS }),
    },
  });
}
