import { architectureOf, type Cluster } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';

/** A group of machines, as a change sees it. */
interface Group {
  readonly path: string;
  readonly machineType: string;
  readonly diskGiB: number;
  /** What to do instead. */
  readonly instead: string;
}

/**
 * Changes of machines that a cloud makes by taking all of a group away at once, or not at all: another processor architecture, whose
 * images the machines cannot start, and a smaller disk. A disk that could not be made larger may be given up again.
 */
export function machineChangeCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  if (!old) return [];
  const before = groupsOf(old);
  const isFailing = old.status?.failure !== undefined;
  return [...groupsOf(cluster)].flatMap(([name, now]) => {
    const was = before.get(name);
    if (!was) return [];
    return [...architectureCauses(now, was), ...(isFailing ? [] : diskCauses(now, was))];
  });
}

function architectureCauses({ path, machineType, instead }: Group, was: Group): ErrorCause[] {
  if (architectureOf(machineType) === architectureOf(was.machineType)) return [];
  const reason = `has another processor architecture than ${was.machineType}, for which all its machines would be destroyed at once`;
  return [cause(`${path}.machineType`, machineType, `${reason}: ${instead}`)];
}

function diskCauses({ path, diskGiB, instead }: Group, was: Group): ErrorCause[] {
  if (diskGiB >= was.diskGiB) return [];
  return [cause(`${path}.diskGiB`, diskGiB, `is less than ${was.diskGiB}, and disks only grow: ${instead}`)];
}

/** By what stays the same of them; no pool has an empty name. */
function groupsOf({ spec: { controlPlane, nodePools } }: Cluster): Map<string, Group> {
  const pools = nodePools.map(({ name, machineType, diskGiB }, index): [string, Group] => [
    name,
    {
      ...{ path: `spec.nodePools[${index}]`, machineType, diskGiB },
      instead: 'add a pool and take the old one away',
    },
  ]);
  if (!controlPlane) return new Map(pools);
  const { machineType, diskGiB } = controlPlane;
  const ofControlPlane = { path: 'spec.controlPlane', machineType, diskGiB, instead: 'of a control plane it stays' };
  return new Map([['', ofControlPlane], ...pools]);
}
