import { NODE, type Node } from '../kinds/core.js';
import type { PreviousNode, RkeNode } from '../rke-protocol.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { ROLE_LABELS, roleLabels, roleTaints } from './role-marks.js';

type Taint = NonNullable<Node['spec']['taints']>[number];

/** What a run knows of hosts as it comes to their labels and taints. */
export interface SyncFacts {
  readonly previousNodes: readonly PreviousNode[] | undefined;
  /** This run has started what makes the host a node. */
  readonly isDeployed: boolean;
}

/**
 * Puts labels and taints on a host's Node. Taints are the difference of the configuration to the state file, and so are the labels that
 * go, whatever the Node has; those that keep workloads off come with what is started on the host, and at no other time.
 * Source: SyncLabelsAndTaints of RKE, with doDeployWorkerPlaneHost and reconcileWorker
 */
export async function syncNode(scope: ClusterScope, host: RkeNode, facts: SyncFacts): Promise<void> {
  const node = scope.cache.find(NODE, host.hostname);
  if (!node) return;
  const { taints: before = [], ...rest } = node.spec;
  const taints = syncedTaints(before, host, facts);
  const spec = taints.length > 0 ? { ...rest, taints } : rest;
  await scope.update(NODE, node, { metadata: { ...node.metadata, labels: syncedLabels(node, host, facts) }, spec });
}

function syncedLabels({ metadata }: Node, host: RkeNode, facts: SyncFacts): Record<string, string> {
  const gone = [...ROLE_LABELS, ...Object.keys(previousOf(host, facts)?.labels ?? {})];
  const kept = Object.entries(metadata.labels ?? {}).filter(([key]) => !gone.includes(key));
  return { ...Object.fromEntries(kept), ...roleLabels(host), ...host.labels };
}

function syncedTaints(taints: readonly Taint[], host: RkeNode, facts: SyncFacts): Taint[] {
  const [before, wanted] = [firstOfEach(previousOf(host, facts)?.taints ?? []), firstOfEach(host.taints)];
  const isWorker = host.roles.includes('worker');
  const added = [
    ...(facts.isDeployed && !isWorker ? roleTaints(host) : []),
    ...wanted.filter((taint) => !before.some(isSame(taint))),
  ];
  const removed = [
    ...(isWorker && becomesWorker(host, facts) ? roleTaints(host) : []),
    ...before.filter((taint) => !wanted.some(isSame(taint))),
  ];
  const missing = added.filter((taint) => !taints.some(isSame(taint)));
  return [...taints, ...missing].filter((taint) => !removed.some(isSame(taint)));
}

function previousOf({ address }: RkeNode, { previousNodes = [] }: SyncFacts): PreviousNode | undefined {
  return previousNodes.find((node) => node.address === address);
}

function becomesWorker(host: RkeNode, facts: SyncFacts): boolean {
  return facts.previousNodes !== undefined && !previousOf(host, facts)?.roles.includes('worker');
}

/** A node has one taint of a key and an effect; the engine warns of a further one, and leaves it out. */
function firstOfEach(taints: PreviousNode['taints']): readonly Taint[] {
  const isFirst = ({ key, effect }: Taint, index: number): boolean =>
    taints.findIndex((other) => other.key === key && other.effect === effect) === index;
  return taints
    .filter(isFirst)
    .map(({ key, value, effect }) => ({ key, ...(value === undefined ? {} : { value }), effect }));
}

function isSame(taint: Taint): (other: Taint) => boolean {
  return ({ key, value = '', effect }) => key === taint.key && effect === taint.effect && value === (taint.value ?? '');
}
