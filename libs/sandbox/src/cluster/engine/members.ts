import type { ClusterMember, ClusterRecord } from '../cluster-record.js';
import type { UpRequest } from '../rke-protocol.js';
import type { SimulatedCluster } from '../simulated-cluster.js';
import type { OpenHost } from './tunnels.js';

/** A host as a cluster knows it. */
export function memberOf({ node, machine }: OpenHost): ClusterMember {
  const { hostname, address, roles, labels, taints } = node;
  return { machineId: machine.id, nodeName: hostname, address, roles, labels, taints };
}

/** None of the etcd hosts that the state file knows is asked for any more. */
export function isEtcdReplaced({ previousNodes = [], nodes }: UpRequest): boolean {
  const before = previousNodes.filter(({ roles }) => roles.includes('etcd'));
  const wanted = nodes.filter(({ roles }) => roles.includes('etcd')).map(({ address }) => address);
  return before.length > 0 && before.every(({ address }) => !wanted.includes(address));
}

/**
 * Machines that the state file knows and the configuration does not, and those that a new machine at their address has taken the place
 * of. Before a state file knows of any, those that have joined count.
 */
export function membersToRemove(
  { members }: ClusterRecord,
  { previousNodes = members, nodes }: UpRequest,
  hosts: readonly OpenHost[],
): readonly ClusterMember[] {
  const wanted = new Set(nodes.map(({ address }) => address));
  const gone = new Set(previousNodes.map(({ address }) => address).filter((address) => !wanted.has(address)));
  const open = new Map(hosts.map(({ node, machine }) => [node.address, machine.id]));
  const isReplaced = ({ address, machineId }: ClusterMember): boolean =>
    open.has(address) && open.get(address) !== machineId;
  return members.filter((member) => gone.has(member.address) || isReplaced(member));
}

/** The control plane is at other addresses than the workers were told, so that the proxies on them are made anew. */
export function isControlPlaneMoved({ previousNodes, nodes }: UpRequest): boolean {
  const addresses = (hosts: readonly { readonly address: string; readonly roles: readonly string[] }[]): string =>
    JSON.stringify(hosts.flatMap(({ address, roles }) => (roles.includes('controlplane') ? [address] : [])).sort());
  return previousNodes !== undefined && addresses(previousNodes) !== addresses(nodes);
}

/** Writes hosts down as the cluster's; labels and taints only once they have been put on the nodes. */
export async function join(
  cluster: SimulatedCluster,
  hosts: readonly OpenHost[],
  { version, isSynced = false }: { readonly version: string; readonly isSynced?: boolean },
): Promise<void> {
  const members = new Map(cluster.record.members.map((member) => [member.machineId, member]));
  for (const host of hosts) {
    const old = members.get(host.machine.id);
    const member = memberOf(host);
    members.set(host.machine.id, isSynced || !old ? member : { ...member, labels: old.labels, taints: old.taints });
  }
  await cluster.save({ ...cluster.record, version, members: [...members.values()] });
}
