import { NODE, type Node } from '../kinds/core.js';
import type { ClusterMember } from '../cluster-record.js';
import type { SimulatedMachine } from '../machines.js';
import type { ClusterScope, NewObject } from '../runtime/cluster-scope.js';
import { nodeBlock } from '../workloads/pod-address.js';
import { kubeletTaints } from './role-marks.js';

const SYSTEM_RESERVED_MIB = 100;

/** Makes the Node what its host's kubelet says of it; labels and taints of the configuration are the engine's. Idempotent. */
export async function registerNode(
  scope: ClusterScope,
  member: ClusterMember,
  machine: SimulatedMachine,
): Promise<void> {
  const existing = scope.cache.find(NODE, member.nodeName);
  if (!existing) {
    const podCIDR = freeBlock(scope);
    await scope.create(NODE, newNode(member, machine, { podCIDR, version: scope.record().version }));
    return;
  }
  await scope.update(NODE, existing, {
    status: { ...existing.status, ...kubeletStatus(member, machine, scope.record().version) },
  });
}

export async function setUnschedulable(scope: ClusterScope, name: string, unschedulable: boolean): Promise<void> {
  const node = scope.cache.find(NODE, name);
  if (!node) return;
  const { unschedulable: _before, ...rest } = node.spec;
  await scope.update(NODE, node, { spec: unschedulable ? { ...rest, unschedulable } : rest });
}

export function hasNode(scope: ClusterScope, name: string): boolean {
  return scope.cache.find(NODE, name) !== undefined;
}

/** Whether the node's kubelet is of another version than the cluster. */
export function isBehind(scope: ClusterScope, name: string): boolean {
  const node = scope.cache.find(NODE, name);
  return node !== undefined && node.status?.nodeInfo?.kubeletVersion !== scope.record().version;
}

export async function deleteNode(scope: ClusterScope, name: string): Promise<void> {
  const node = scope.cache.find(NODE, name);
  if (node) await scope.remove(NODE, node);
}

function newNode(
  member: ClusterMember,
  machine: SimulatedMachine,
  { podCIDR, version }: { readonly podCIDR: string; readonly version: string },
): NewObject<Node> {
  const taints = kubeletTaints(member);
  return {
    metadata: {
      name: member.nodeName,
      labels: kubeletLabels(member, machine),
      annotations: {
        'node.alpha.kubernetes.io/ttl': '0',
        'rke.cattle.io/external-ip': member.address,
        'rke.cattle.io/internal-ip': machine.privateAddress,
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
    },
    spec: { podCIDR, podCIDRs: [podCIDR], ...(taints.length > 0 ? { taints } : {}) },
    status: kubeletStatus(member, machine, version),
  };
}

function kubeletStatus(member: ClusterMember, machine: SimulatedMachine, version: string): NonNullable<Node['status']> {
  const resources = (memoryMiB: number): Record<string, string> => ({
    cpu: String(machine.cpus),
    memory: `${memoryMiB * 1024}Ki`,
    pods: '110',
    'ephemeral-storage': '50620216Ki',
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
  });
  return {
    capacity: resources(machine.memoryMiB),
    allocatable: resources(machine.memoryMiB - SYSTEM_RESERVED_MIB),
    addresses: [
      { type: 'InternalIP', address: machine.privateAddress },
      { type: 'Hostname', address: member.nodeName },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: 'amd64',
      bootID: machine.id,
      containerRuntimeVersion: 'docker://27.5.1',
      kernelVersion: '5.15.0-1084-aws',
      kubeProxyVersion: version,
      kubeletVersion: version,
      machineID: machine.id,
      operatingSystem: 'linux',
      osImage: 'Ubuntu 22.04.5 LTS',
      systemUUID: machine.id,
    },
  };
}

function kubeletLabels(member: ClusterMember, machine: SimulatedMachine): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': member.nodeName,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': machine.machineType,
    'topology.kubernetes.io/region': machine.region,
    'topology.kubernetes.io/zone': machine.zone,
  };
}

function freeBlock(scope: ClusterScope): string {
  const used = new Set(scope.cache.list(NODE).map(({ spec }) => spec.podCIDR));
  for (let index = 0; index < 256; index += 1) {
    const block = nodeBlock(scope.record().network.podCidr, index);
    if (!used.has(block)) return block;
  }
  return '';
}
