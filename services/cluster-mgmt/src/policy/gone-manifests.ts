import type { InventoryEntry, KubernetesCluster, PolicyForgetRequest } from '@crate/api';
import type { PolicyReviewContext, PolicyReviewer } from '@crate/messaging';
import { clusterSubject } from './cluster-subject.js';

/**
 * Has the policies forget objects that are not in a cluster any more, so that reports do not go on about them. A cluster that is being
 * deleted forgets all of its own at its end.
 */
export async function forgetManifests(
  policies: Pick<PolicyReviewer, 'forget'>,
  cluster: KubernetesCluster | undefined,
  gone: readonly InventoryEntry[],
  context: PolicyReviewContext,
): Promise<void> {
  if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return;
  for (const entry of gone) await policies.forget(forgotten(cluster, entry), context);
}

function forgotten(
  cluster: KubernetesCluster,
  { apiVersion, kind, namespace, name }: InventoryEntry,
): PolicyForgetRequest {
  const { namespace: project, cluster: clusterName = cluster.metadata.name } = clusterSubject(cluster);
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return {
    namespace: project,
    cluster: clusterName,
    stage: 'Manifest',
    kind: group === '' ? kind : `${kind}.${group}`,
    name: namespace === undefined ? name : `${namespace}/${name}`,
  };
}
