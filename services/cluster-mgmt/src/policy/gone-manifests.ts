import type { InventoryEntry, KubernetesCluster, PolicyDocumentName } from '@crate/api';
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
  for (const entry of gone) await policies.forget(remembered(cluster, entry), context);
}

/** Has the policies go on remembering objects that nobody asks about, since nothing states them any more, and that are in the cluster still. */
export async function renewManifests(
  policies: Pick<PolicyReviewer, 'renew'>,
  cluster: KubernetesCluster,
  left: readonly InventoryEntry[],
  context: PolicyReviewContext,
): Promise<void> {
  if (left.length === 0) return;
  await policies.renew(
    left.map((entry) => remembered(cluster, entry)),
    context,
  );
}

function remembered(
  cluster: KubernetesCluster,
  { apiVersion, kind, namespace, name }: InventoryEntry,
): PolicyDocumentName {
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
