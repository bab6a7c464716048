import { vcpusOf, type Cluster } from '@crate/api';
import { toCause, type AdmissionRequest } from '@crate/resource-server';
import { forbiddenCluster } from '../cluster/cluster.forbidden.js';
import { machineTypesOf, type StatedType } from '../cluster/cluster.machine-types.js';
import { machineGroups } from '../cluster/cluster.nodes.js';
import { isTakenBack } from '../plan/approved-plan.js';

/**
 * The machine types that nobody knows and that a write brings, or asks for more machines of than there were; what a cluster has back from
 * a plan was there. Pure.
 */
export function unknownTypes({ object, oldObject, context }: AdmissionRequest): StatedType[] {
  if (oldObject && isTakenBack(oldObject, object, context.caller.service)) return [];
  const { spec } = object as Cluster;
  const after = machinesByType(spec);
  const before = oldObject ? machinesByType((oldObject as Cluster).spec) : new Map<string, number>();
  const hasGrown = (type: string): boolean => (after.get(type) ?? 0) > (before.get(type) ?? -1);
  return machineTypesOf(spec).filter(({ type }) => vcpusOf(type) === undefined && hasGrown(type));
}

function machinesByType(spec: Cluster['spec']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { machineType, replicas } of machineGroups(spec))
    counts.set(machineType, (counts.get(machineType) ?? 0) + replicas);
  return counts;
}

/** Throws Forbidden when there are any: nobody could say how much of a quota such a machine takes. */
export function requireNone(unknown: readonly StatedType[], { metadata: { name } }: Cluster): void {
  if (unknown.length === 0) return;
  const detail =
    'must be a machine type whose number of virtual CPUs is known, because the Project has a quota of them';
  const errors = unknown.map(({ path, type }) => ({ path, value: type, reason: 'FieldValueInvalid' as const, detail }));
  throw forbiddenCluster(name, errors.map(toCause));
}
