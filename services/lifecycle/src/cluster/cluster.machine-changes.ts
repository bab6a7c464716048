import { architectureOf, type Cluster, type Infrastructure } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';
import { smallestDisk } from './cluster.disks.js';
import { CONTROL_PLANE_GROUP } from './cluster.nodes.js';

/** A group of machines, as a change sees it. */
interface Group {
  readonly path: string;
  readonly machineType: string;
  readonly diskGiB: number;
  /** What to do instead. */
  readonly instead: string;
}

/** The infrastructure of the cluster as cloud-mgmt has it; undefined where there is none. */
export type FindInfrastructure = () => Promise<Infrastructure | undefined>;

/**
 * Changes of machines that a cloud makes by taking all of a group away at once, or not at all: another processor architecture, whose
 * images the machines cannot start, and a smaller disk. A larger disk that no machine got may be given up again.
 */
export async function machineChangeCauses(
  cluster: Cluster,
  old: Cluster | undefined,
  find: FindInfrastructure,
): Promise<ErrorCause[]> {
  if (!old) return [];
  const changes = changesOf(cluster, old);
  const isSmaller = changes.some(({ now, was }) => now.diskGiB < was.diskGiB);
  const infrastructure = isSmaller ? await find() : undefined;
  return changes.flatMap(({ name, now, was }) => [
    ...architectureCauses(now, was),
    ...diskCauses(now, { ...was, diskGiB: smallestDisk({ cluster: old, group: name, ...was }, infrastructure) }),
  ]);
}

interface Change {
  readonly name: string;
  readonly now: Group;
  readonly was: Group;
}

function changesOf(cluster: Cluster, old: Cluster): Change[] {
  const before = groupsOf(old);
  return [...groupsOf(cluster)].flatMap(([name, now]) => {
    const was = before.get(name);
    return was ? [{ name, now, was }] : [];
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

/** By what stays the same of them. */
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
  return new Map([[CONTROL_PLANE_GROUP, ofControlPlane], ...pools]);
}
