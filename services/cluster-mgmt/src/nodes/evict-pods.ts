import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import { refOf } from '../drain/claim-users.js';
import { attempt } from './attempt.js';

/** A pod of a node that is to leave. */
export interface LeavingPod {
  /** As `namespace/name`. */
  readonly name: string;
  /** Why it may not go yet. */
  readonly kept?: string;
}

export interface Eviction {
  /** Its name. */
  readonly node: string;
  /** False once no other pod is asked to go. Asked before each. */
  readonly isWaitedFor: () => boolean;
}

/** Asks the pods of a node to go that have not been asked yet. Gives those that are still there, as far as it has come. Idempotent. */
export async function evictPods(
  target: TargetCluster,
  { node, isWaitedFor }: Eviction,
  signal: AbortSignal,
): Promise<readonly LeavingPod[]> {
  const { items } = await target.list('v1', 'Pod', { fieldSelector: `spec.nodeName=${node}` }, signal);
  const pods: LeavingPod[] = [];
  for (const pod of items.filter((each) => isOn(each, node) && isToGo(each))) {
    if (!isWaitedFor()) break;
    const kept = pod.metadata.deletionTimestamp === undefined ? await evict(target, pod, signal) : undefined;
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    pods.push({ name, ...(kept === undefined ? {} : { kept }) });
  }
  return pods;
}

/** Why the pod may not go; undefined when it was asked to. What one pod's webhook or budget says is not in the way of the others. */
async function evict(target: TargetCluster, pod: KubeObject, signal: AbortSignal): Promise<string | undefined> {
  const evicted = await attempt(target, () => target.evict(refOf(pod), signal), signal);
  return 'refusal' in evicted ? evicted.refusal : undefined;
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
