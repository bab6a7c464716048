import { KEPT_VOLUMES_ANNOTATION, type Cluster, type Infrastructure, type KubernetesCluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { findChild } from './cluster.children.js';

/** Tells the Infrastructure which volumes of the cluster's are to outlive it, before it removes what the cluster left. Idempotent. */
export async function handOverVolumes(
  infrastructures: TypedClient<Infrastructure>,
  cluster: Cluster,
  { status }: KubernetesCluster,
): Promise<void> {
  const kept = [...(status?.keptVolumes ?? [])].sort().join(',');
  if (kept === '') return;
  const { name, namespace } = cluster.metadata;
  const infrastructure = await findChild(infrastructures, cluster, name);
  if (!infrastructure || infrastructure.metadata.annotations?.[KEPT_VOLUMES_ANNOTATION] === kept) return;
  await infrastructures.merge(name, namespace, { metadata: { annotations: { [KEPT_VOLUMES_ANNOTATION]: kept } } });
}
