import { isPlatformError } from '@crate/errors';
import type { KubeObject } from '@crate/api';
import { isConnectionDown, type TargetCluster } from '@crate/kubernetes';
import { refOf } from '../drain/claim-users.js';
import { cordon, leavingSince } from './node-mark.js';

export interface DrainOptions {
  readonly now: Date;
  /** How long pods of a node are waited for, from its cordon on. */
  readonly graceMs: number;
  /** How long a node may have been silent to be waited for: where no kubelet is, no pod ends. */
  readonly silenceMs: number;
}

/** A node that is waited for. */
export interface DrainingNode {
  readonly name: string;
  /** Its pods that have not ended, as `namespace/name`, with what keeps those that may not go yet. */
  readonly pods: readonly { readonly name: string; readonly kept?: string }[];
}

/**
 * Has nodes emptied, as far as that goes without waiting: call again until nothing is left. Daemons stay. Gives the nodes that have pods
 * and whose time is not over. Idempotent, and writes nothing about what was asked before.
 */
export async function drainNodes(
  target: TargetCluster,
  names: readonly string[],
  options: DrainOptions,
  signal: AbortSignal,
): Promise<readonly DrainingNode[]> {
  const { items } = await target.list('v1', 'Node', {}, signal);
  const leaving = items.filter(({ metadata }) => names.includes(metadata.name));
  // All of them first, or the pods of one would go to the next.
  const cordoned: KubeObject[] = [];
  for (const node of leaving) cordoned.push(await cordon(target, node, options.now, signal));
  const draining: DrainingNode[] = [];
  for (const node of cordoned) {
    const pods = await evictPods(target, node, signal);
    if (pods.length > 0 && isWaitedFor(node, options)) draining.push({ name: node.metadata.name, pods });
  }
  return draining;
}

async function evictPods(
  target: TargetCluster,
  { metadata: { name: node } }: KubeObject,
  signal: AbortSignal,
): Promise<DrainingNode['pods']> {
  const { items } = await target.list('v1', 'Pod', { fieldSelector: `spec.nodeName=${node}` }, signal);
  const pods: { readonly name: string; readonly kept?: string }[] = [];
  for (const pod of items.filter((each) => isOn(each, node) && isToGo(each))) {
    const kept = pod.metadata.deletionTimestamp === undefined ? await evict(target, pod, signal) : undefined;
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    pods.push({ name, ...(kept === undefined ? {} : { kept }) });
  }
  return pods;
}

/** Why the pod may not go; undefined when it was asked to. What one pod's webhook or budget says is not in the way of the others. */
async function evict(target: TargetCluster, pod: KubeObject, signal: AbortSignal): Promise<string | undefined> {
  try {
    await target.evict(refOf(pod), signal);
    return undefined;
  } catch (error) {
    if (!isPlatformError(error) || isConnectionDown(error) || error.code === 'Timeout') throw error;
    return error.message;
  }
}

/** Those of daemons would be made anew at once, those of the kubelet itself cannot be evicted, and what has ended holds nothing. */
function isToGo({ metadata, status }: KubeObject): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  const isDaemon = metadata.ownerReferences?.some(
    ({ kind, controller }) => controller === true && kind === 'DaemonSet',
  );
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  return !isDaemon && !isMirror && phase !== 'Succeeded' && phase !== 'Failed';
}

function isOn({ spec }: KubeObject, node: string): boolean {
  return (spec as { readonly nodeName?: string } | undefined)?.nodeName === node;
}

function isWaitedFor(node: KubeObject, { now, graceMs, silenceMs }: DrainOptions): boolean {
  const since = leavingSince(node)?.getTime() ?? 0;
  return now.getTime() - since < graceMs && silentForMs(node, now) < silenceMs;
}

function silentForMs({ status }: KubeObject, now: Date): number {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return 0;
  return now.getTime() - new Date(ready?.lastTransitionTime ?? 0).getTime();
}
