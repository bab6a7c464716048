import {
  MOST_MACHINES,
  type Cluster,
  type ClusterNode,
  type InfrastructureSpec,
  type KubernetesCluster,
} from '@crate/api';
import { approvedPlanOf } from '../plan/approved-plan.js';
import { CONTROL_PLANE_GROUP, desiredNodeNames, isNodeOf } from './cluster.nodes.js';

type MachineGroups = InfrastructureSpec['machineGroups'];
type MachineGroup = MachineGroups[number];

/**
 * Nodes that nobody asks for any more and that stay all the same until one of the workers that replace them is ready: without them
 * workloads had nowhere to go. None where an approved plan says what the cloud does, nor where the engine cannot keep both. Pure.
 */
export function replacedNodes(cluster: Cluster, { spec, status }: KubernetesCluster): readonly ClusterNode[] {
  if (approvedPlanOf(cluster).approvedPlan) return [];
  const wanted = desiredNodeNames(cluster);
  const workers = wanted.filter((name) => !isNodeOf(cluster, CONTROL_PLANE_GROUP, name));
  const leaving = spec.nodes.filter(({ name }) => !wanted.includes(name));
  const isReady = (name: string): boolean => status?.nodes?.some((node) => node.name === name && node.ready) === true;
  // Whether those that leave are ready says nothing: they may be away for a moment, and workloads are still on them.
  const takesWorkers = leaving.some(({ role }) => role === 'worker');
  if (!takesWorkers || workers.length === 0 || workers.some(isReady)) return [];
  return wanted.length + leaving.length > MOST_MACHINES.rke ? [] : leaving;
}

/**
 * The machines that are asked for, and those of the nodes that stay meanwhile: as they are, but in a pool that keeps workers like those,
 * since another machine type may be what makes one of them ready. Pure.
 */
export function withReplaced(
  cluster: Cluster,
  wanted: MachineGroups,
  { present, staying }: { readonly present: MachineGroups; readonly staying: readonly ClusterNode[] },
): MachineGroups {
  const kept = present.filter(({ name }) => staying.some((node) => isNodeOf(cluster, name, node.name)));
  const staysAs = (group: MachineGroup): MachineGroup => {
    const asked = wanted.find(({ name, replicas }) => name === group.name && replicas > 0) ?? group;
    return { ...asked, replicas: Math.max(group.replicas, asked.replicas) };
  };
  return [...wanted.filter(({ name }) => !kept.some((group) => group.name === name)), ...kept.map(staysAs)];
}
