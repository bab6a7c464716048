import { isDeepStrictEqual } from 'node:util';
import type { ClusterMember, ClusterRecord } from '../cluster-record.js';
import type { UpRequest } from '../rke-protocol.js';
import type { SimulatedCluster } from '../simulated-cluster.js';
import type { OpenHost } from './tunnels.js';

/** A host as a cluster knows it. */
export function memberOf({ node, machine }: OpenHost): ClusterMember {
  const { hostname, address, roles } = node;
  return { machineId: machine.id, nodeName: hostname, address, roles };
}

/**
 * None of the etcd hosts that the state file knows can be used: each is asked for no more, or could not be reached, which is the same to the
 * engine. Source: isEtcdPlaneReplaced in cluster/reconcile.go of RKE
 */
export function isEtcdReplaced({ previousNodes = [] }: UpRequest, open: readonly OpenHost[]): boolean {
  const before = previousNodes.filter(({ roles }) => roles.includes('etcd'));
  const there = open.filter(({ node }) => node.roles.includes('etcd')).map(({ node }) => node.address);
  return before.length > 0 && before.every(({ address }) => !there.includes(address));
}

/**
 * Machines that the state file knows and the configuration does not, and those that a new machine at their address has taken the place
 * of. Before a state file knows of any, those that have joined count.
 */
export function membersToRemove(
  { members }: ClusterRecord,
  { previousNodes, nodes }: UpRequest,
  hosts: readonly OpenHost[],
): readonly ClusterMember[] {
  const wanted = new Set(nodes.map(({ address }) => address));
  const before = (previousNodes ?? members).map(({ address }) => address);
  const gone = new Set(before.filter((address) => !wanted.has(address)));
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

/** What runs on a host was started for other roles than it has now. */
export function hasOtherRoles({ members }: ClusterRecord, { node, machine }: OpenHost): boolean {
  const member = members.find(({ machineId }) => machineId === machine.id);
  return member !== undefined && member.roles.toSorted().join() !== node.roles.toSorted().join();
}

/** Writes hosts down as the cluster's; other roles only of those in `deployed`. Idempotent. */
export async function join(
  cluster: SimulatedCluster,
  hosts: readonly OpenHost[],
  { version, deployed }: { readonly version: string; readonly deployed: ReadonlySet<string> },
): Promise<void> {
  const members = new Map(cluster.record.members.map((member) => [member.machineId, member]));
  for (const host of hosts) {
    const { id } = host.machine;
    const roles = deployed.has(id) ? undefined : members.get(id)?.roles;
    members.set(id, { ...memberOf(host), ...(roles ? { roles } : {}) });
  }
  const record = { ...cluster.record, version, members: [...members.values()] };
  if (!isDeepStrictEqual(record, cluster.record)) await cluster.save(record);
}
