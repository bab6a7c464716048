import { POD_DISRUPTION_BUDGET, type PodDisruptionBudget } from '../kinds/networking.js';
import { POD, type Pod } from '../kinds/pod.js';
import { matchesSelector } from '../label-selector.js';
import type { ObjectCache } from '../runtime/object-cache.js';
import { resolveCount } from './deployment-rollout.js';
import { isActive, isReady } from './pods.js';

/**
 * The first budget that keeps a pod from being evicted; undefined when none does. A pod that is not ready takes nothing from a budget
 * that is met. Source: https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export function budgetAgainst(pod: Pod, cache: ObjectCache): PodDisruptionBudget | undefined {
  const { namespace = '', labels } = pod.metadata;
  return cache
    .list(POD_DISRUPTION_BUDGET, namespace)
    .filter(({ spec }) => matchesSelector(spec.selector, labels))
    .find((budget) => sparePods(budget, cache) < (isReady(pod) ? 1 : 0));
}

function sparePods({ metadata, spec }: PodDisruptionBudget, cache: ObjectCache): number {
  const pods = cache
    .list(POD, metadata.namespace ?? '')
    .filter((pod) => isActive(pod) && matchesSelector(spec.selector, pod.metadata.labels));
  const { minAvailable, maxUnavailable = 0 } = spec;
  const wanted =
    minAvailable === undefined
      ? pods.length - resolveCount(maxUnavailable, pods.length, Math.ceil)
      : resolveCount(minAvailable, pods.length, Math.ceil);
  return pods.filter(isReady).length - wanted;
}
