import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import { attempt } from './attempt.js';
import { evictPods, type LeavingPod } from './evict-pods.js';
import { listNodes } from './list-nodes.js';
import { cordon, leavingSince, uncordon } from './node-mark.js';
import { lostForMs } from './node-silence.js';

export interface DrainOptions {
  /** Looked at before each call: one that hangs takes as long as tens of others. */
  readonly now: () => Date;
  /** How long pods of a node are waited for, from its cordon on. */
  readonly graceMs: number;
  /** Since when nodes are asked to leave that the cluster does not let be cordoned. */
  readonly askedAt: Date;
  /** How long a node may have been lost to be waited for: where no kubelet is, or no Docker, no pod ends. */
  readonly silenceMs: number;
}

/** Names of nodes. */
export interface NodeWish {
  readonly leaving: readonly string[];
  readonly wanted: readonly string[];
}

/** A node that is waited for. */
export interface DrainingNode {
  readonly name: string;
  /** Those that have not ended. */
  readonly pods: readonly LeavingPod[];
  /** What the cluster says, when it does not let the node itself be emptied. */
  readonly refusal?: string;
}

/**
 * Has nodes emptied, as far as that goes without waiting: call again until nothing is left. Daemons stay. Gives the nodes that have pods, or
 * are refused, and whose time is not over; what is refused to one keeps none of the others. Idempotent, and writes nothing about what was
 * asked before.
 */
export async function drainNodes(
  target: TargetCluster,
  { leaving, wanted }: NodeWish,
  options: DrainOptions,
  signal: AbortSignal,
): Promise<readonly DrainingNode[]> {
  const nodes = await listNodes(target, signal);
  // What is wanted again first: pods that go need the room. A refusal is met again by who looks at the cluster that is done.
  for (const node of nodes.filter(({ metadata }) => wanted.includes(metadata.name)))
    await attempt(target, () => uncordon(target, node, signal), signal);
  // All of them first, or the pods of one would go to the next.
  const asked: Asked[] = [];
  for (const node of nodes.filter(({ metadata }) => leaving.includes(metadata.name)))
    asked.push(await ask(target, node, options, signal));
  const draining: DrainingNode[] = [];
  for (const each of asked) {
    // One whose time is over is asked no more: many calls that hang would hold up for long what nobody waits for.
    const isWaitedFor = (): boolean => !isOver(each.node, options);
    if (!isWaitedFor()) continue;
    const left = await empty(target, each, isWaitedFor, signal);
    const isEmpty = left.pods.length === 0 && left.refusal === undefined;
    const isLost = lostForMs(each.node, options.now()) >= options.silenceMs;
    if (!isEmpty && !isLost && isWaitedFor()) draining.push(left);
  }
  return draining;
}

/** A node as it is now, and why it could not be cordoned. */
interface Asked {
  readonly node: KubeObject;
  readonly refusal?: string;
}

async function ask(
  target: TargetCluster,
  node: KubeObject,
  { now }: DrainOptions,
  signal: AbortSignal,
): Promise<Asked> {
  const cordoned = await attempt(target, () => cordon(target, node, now(), signal), signal);
  return 'refusal' in cordoned ? { node, refusal: cordoned.refusal } : { node: cordoned.value };
}

/** A node that was not cordoned keeps its pods: they might come back to it. */
async function empty(
  target: TargetCluster,
  { node, refusal }: Asked,
  isWaitedFor: () => boolean,
  signal: AbortSignal,
): Promise<DrainingNode> {
  const { name } = node.metadata;
  if (refusal !== undefined) return { name, pods: [], refusal };
  const evicted = await attempt(target, () => evictPods(target, { node: name, isWaitedFor }, signal), signal);
  return 'refusal' in evicted ? { name, pods: [], refusal: evicted.refusal } : { name, pods: evicted.value };
}

function isOver(node: KubeObject, { now, askedAt, graceMs }: DrainOptions): boolean {
  const since = leavingSince(node) ?? askedAt;
  return now().getTime() - since.getTime() >= graceMs;
}
