import type { Cluster, ClusterNode, ClusterSpec, InfrastructureOutputs, InfrastructureSpec } from '@crate/api';

/** Group name of the control plane's machines; node pools may not use it. */
export const CONTROL_PLANE_GROUP = 'control-plane';

/** The machines a cluster's spec asks for, as cloud-mgmt takes them; none for a cluster that was there before. */
export function machineGroups(
  spec: Pick<ClusterSpec, 'controlPlane' | 'nodePools'>,
): InfrastructureSpec['machineGroups'] {
  if (!spec.controlPlane) return [];
  const { replicas, machineType, diskGiB } = spec.controlPlane;
  return [
    { name: CONTROL_PLANE_GROUP, role: 'control-plane', replicas, machineType, diskGiB },
    ...spec.nodePools.map((pool) => ({
      name: pool.name,
      role: 'worker' as const,
      replicas: pool.replicas,
      machineType: pool.machineType,
      diskGiB: pool.diskGiB,
    })),
  ];
}

/** Names of the nodes the spec asks for: `<cluster>-<group>-<index>`. */
export function desiredNodeNames(cluster: Cluster): readonly string[] {
  return machineGroups(cluster.spec).flatMap((group) =>
    Array.from({ length: group.replicas }, (_, index) => `${cluster.metadata.name}-${group.name}-${index}`),
  );
}

/** True for a node of the group, wanted or not. */
export function isNodeOf({ metadata }: Cluster, group: string, node: string): boolean {
  const prefix = `${metadata.name}-${group}-`;
  return node.startsWith(prefix) && /^\d+$/.test(node.slice(prefix.length));
}

/** Nodes for the machines that exist and that the spec still asks for, in a stable order. */
export function clusterNodes(cluster: Cluster, outputs: InfrastructureOutputs): ClusterNode[] {
  const wanted = new Set(desiredNodeNames(cluster));
  const pools = new Map(cluster.spec.nodePools.map((pool) => [pool.name, pool]));
  return outputs.machines
    .filter((machine) => wanted.has(machine.name))
    .map((machine): ClusterNode => {
      const pool = pools.get(machine.group);
      return {
        name: machine.name,
        address: machine.privateIp,
        role: machine.role,
        pool: machine.group,
        ...(pool?.labels ? { labels: pool.labels } : {}),
        ...(pool?.taints ? { taints: pool.taints } : {}),
      };
    });
}
