import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Of its own, since whoever applies a node anew gives up what he does not state. */
const MANAGER = 'crate-node-taints';

/** What RKE keeps workloads off the control plane with. Source: services/workerplane.go of RKE */
export const ROLE_TAINTS: readonly Taint[] = [
  { key: 'node-role.kubernetes.io/controlplane', value: 'true', effect: 'NoSchedule' },
  { key: 'node-role.kubernetes.io/etcd', value: 'true', effect: 'NoExecute' },
];

/**
 * Keeps workloads off a node of the control plane where there are workers, and lets them on it where there are none. The engine does so only
 * in the run that starts the node's kubelet anew for it: one that fails after that leaves it undone, and none later makes up for it.
 * Other taints stay. Idempotent; throws Conflict when the node has changed since it was read.
 */
export async function setRoleTaints(
  target: TargetCluster,
  node: KubeObject,
  hasWorkers: boolean,
  signal: AbortSignal,
): Promise<void> {
  const before = (node.spec as { readonly taints?: readonly Taint[] } | undefined)?.taints ?? [];
  const others = before.filter((taint) => !ROLE_TAINTS.some(isSame(taint)));
  const taints = hasWorkers ? [...others, ...ROLE_TAINTS] : others;
  if (taints.length === before.length) return;
  const { name, uid, resourceVersion } = node.metadata;
  const metadata = { name, uid, resourceVersion };
  await target.applyObject(
    { apiVersion: 'v1', kind: 'Node', metadata, spec: { taints } },
    { fieldManager: MANAGER, force: true },
    signal,
  );
}

function isSame(taint: Taint): (other: Taint) => boolean {
  return ({ key, effect }) => key === taint.key && effect === taint.effect;
}
