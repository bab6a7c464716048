import {
  KEEP_VOLUMES_ANNOTATION,
  KEPT_VOLUMES_ANNOTATION,
  REMOVE_VOLUMES_ANNOTATION,
  type Cluster,
  type Infrastructure,
  type KubernetesCluster,
} from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { findChild } from './cluster.children.js';

/**
 * Tells the Infrastructure which volumes of the cluster's are to outlive it, before it removes what the cluster left; nothing when nobody
 * could look, so that it removes none that nobody names. Idempotent.
 */
export async function handOverVolumes(
  infrastructures: TypedClient<Infrastructure>,
  cluster: Cluster,
  { status }: KubernetesCluster,
): Promise<void> {
  if (!status?.keptVolumes) return;
  const kept = [...status.keptVolumes].sort().join(',');
  const infrastructure = await findChild(infrastructures, cluster, cluster.metadata.name);
  if (infrastructure) await annotate(infrastructures, infrastructure, { [KEPT_VOLUMES_ANNOTATION]: kept });
}

/** Tells the Infrastructure what a person has decided about volumes of the cluster's. Writes only when that is news. */
export function passVolumesOn(
  infrastructures: Pick<TypedClient<Infrastructure>, 'merge'>,
  { metadata }: Cluster,
  infrastructure: Infrastructure,
): Promise<Infrastructure> {
  const stated = Object.entries(metadata.annotations ?? {}).filter(([name]) => DECISIONS.includes(name));
  return annotate(infrastructures, infrastructure, Object.fromEntries(stated));
}

const DECISIONS: readonly string[] = [KEEP_VOLUMES_ANNOTATION, REMOVE_VOLUMES_ANNOTATION];

async function annotate(
  infrastructures: Pick<TypedClient<Infrastructure>, 'merge'>,
  infrastructure: Infrastructure,
  annotations: Readonly<Record<string, string>>,
): Promise<Infrastructure> {
  const { name, namespace, uid, annotations: has = {} } = infrastructure.metadata;
  if (Object.entries(annotations).every(([key, value]) => has[key] === value)) return infrastructure;
  return infrastructures.merge(name, namespace, { metadata: { uid, annotations } });
}
