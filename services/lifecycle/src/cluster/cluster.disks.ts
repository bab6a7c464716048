import { findCondition, type Cluster, type Infrastructure } from '@crate/api';
import { isBegun } from '../plan/plan-verdict.js';

/** A group of machines of a cluster, with the disk its spec gives it. */
export interface DiskOfGroup {
  readonly cluster: Cluster;
  readonly group: string;
  /** Of the group in the Cluster document. */
  readonly path: string;
  readonly diskGiB: number;
}

/** Refusals of a plan before any of it is carried out. */
const REFUSED = ['PolicyDenied', 'ImpactAboveCeiling', 'PlanOutdated'];

/** GiB that no disk of the group can go below, since a machine may have as much by now; 0 where none has any. Pure. */
export function smallestDisk(
  { cluster, group, path, diskGiB }: DiskOfGroup,
  infrastructure: Infrastructure | undefined,
): number {
  // That of a former cluster of this name says nothing.
  if (infrastructure?.spec.clusterUid !== cluster.metadata.uid) return 0;
  if (infrastructure.status?.conditions === undefined) return 0; // Nobody has begun on it.
  const told = diskOf(infrastructure.spec.machineGroups, group) ?? 0;
  const applied = diskOf(infrastructure.status.appliedDisks, group) ?? 0;
  return isWithout(infrastructure, `${path}.diskGiB`) ? applied : Math.max(applied, Math.min(told, diskGiB));
}

function diskOf(
  groups: readonly { readonly name: string; readonly diskGiB: number }[] | undefined,
  group: string,
): number | undefined {
  return groups?.find(({ name }) => name === group)?.diskGiB;
}

/** Whether the cloud, or whoever judges plans, has refused the disk as it is asked for. A failure of anything else does not say. */
function isWithout(infrastructure: Infrastructure, field: string): boolean {
  const { metadata, status } = infrastructure;
  const { failure } = status ?? {};
  const judged = findCondition(status?.conditions, 'Ready')?.observedGeneration;
  if (!failure || judged !== metadata.generation) return false;
  return failure.field === field || (REFUSED.includes(failure.code) && !isBegun(infrastructure));
}
