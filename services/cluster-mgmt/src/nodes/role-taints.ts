import type { ClusterNode, KubeObject } from '@crate/api';
import { toTargetNode, type TargetCluster } from '@crate/kubernetes';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Of its own, since whoever applies a node anew gives up what he does not state. */
const MANAGER = 'crate-node-taints';

const NOTHING_NEW: Taint = { key: 'node-role.kubernetes.io/controlplane', value: 'true', effect: 'NoSchedule' };
/** Put on by RKE alone: it evicts at once whatever runs there, past PodDisruptionBudgets. */
const NOTHING_AT_ALL: Taint = { key: 'node-role.kubernetes.io/etcd', value: 'true', effect: 'NoExecute' };

/** What RKE keeps workloads off the control plane with. Source: services/workerplane.go of RKE */
export const ROLE_TAINTS: readonly Taint[] = [NOTHING_NEW, NOTHING_AT_ALL];

/**
 * Whether nodes of the control plane are to take new workloads: false where a worker takes them, true where there is none and none is asked
 * for. Undefined in between, as while workers boot or are down, or are on no record after a restore: those nodes stay as they are. Pure.
 */
export function isForWorkloads(nodes: readonly KubeObject[], wanted: readonly ClusterNode[]): boolean | undefined {
  const roles = new Map(wanted.map(({ name, role }) => [name, role]));
  const workers = nodes.map(toTargetNode).filter(({ name, role }) => (roles.get(name) ?? role) === 'worker');
  if (workers.some(({ name, ready, unschedulable }) => roles.has(name) && ready && !unschedulable)) return false;
  return workers.length === 0 && wanted.every(({ role }) => role !== 'worker') ? true : undefined;
}

/**
 * Keeps new workloads off a node of the control plane, or takes off what keeps them off. The engine does so only in the run that starts the
 * node's kubelet anew for it: one that fails after that leaves it undone, and none later makes up for it. What runs there stays, and so do
 * other taints. Idempotent; throws Conflict when the node has changed since it was read.
 */
export async function setRoleTaints(
  target: TargetCluster,
  node: KubeObject,
  forWorkloads: boolean,
  signal: AbortSignal,
): Promise<void> {
  const before = (node.spec as { readonly taints?: readonly Taint[] } | undefined)?.taints ?? [];
  const taints = forWorkloads ? before.filter((taint) => !ROLE_TAINTS.some(isSame(taint))) : closed(before);
  if (taints.length === before.length) return;
  const { name, uid, resourceVersion } = node.metadata;
  const metadata = { name, uid, resourceVersion };
  await target.applyObject(
    { apiVersion: 'v1', kind: 'Node', metadata, spec: { taints } },
    { fieldManager: MANAGER, force: true },
    signal,
  );
}

function closed(taints: readonly Taint[]): readonly Taint[] {
  return taints.some(isSame(NOTHING_NEW)) ? taints : [...taints, NOTHING_NEW];
}

function isSame(taint: Taint): (other: Taint) => boolean {
  return ({ key, effect }) => key === taint.key && effect === taint.effect;
}
