import { setTimeout as delay } from 'node:timers/promises';
import { POD, type Pod } from '../kinds/pod.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { controllerOf } from '../runtime/object-cache.js';
import { budgetAgainst } from '../workloads/disruption-budgets.js';
import { RunFailure } from './run-events.js';

/** The five minutes of an engine whose other work takes minutes as well. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 200;

/**
 * Takes all pods but daemons off a node, as budgets allow. Throws RunFailure when one keeps a pod until the time is over: there is no upgrade
 * of that node then. Source: services/node_util.go of RKE, and drain of kubectl
 */
export async function drainNode(scope: ClusterScope, name: string, patienceMs = PATIENCE_MS): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const kept = await evictAll(scope, name);
    if (!kept) return;
    const { name: pod, namespace } = kept.metadata;
    const why = `error when evicting pods/"${pod}" -n "${namespace}": global timeout reached: 5m0s`;
    if (performance.now() >= until) throw new RunFailure(`error draining node ${name}: ${why}`);
    await delay(AGAIN_MS);
  }
}

/** Gives a pod that may not go. */
async function evictAll(scope: ClusterScope, node: string): Promise<Pod | undefined> {
  const pods = scope.cache
    .list(POD)
    .filter((pod) => pod.spec.nodeName === node && controllerOf(pod)?.kind !== 'DaemonSet')
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  let kept: Pod | undefined;
  for (const pod of pods) {
    if (budgetAgainst(pod, scope.cache)) kept ??= pod;
    else await scope.remove(POD, pod);
  }
  return kept;
}
