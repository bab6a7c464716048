import type { KubeObject } from '@crate/api';
import { findByPath } from './json-path.js';
import { count, textAt } from './reading.js';

/** Ready containers of all, such as `1/2`. */
export function podReady(pod: KubeObject): string {
  const ready = findByPath(pod, '.status.containerStatuses[?(@.ready==true)]').length;
  return `${ready}/${count(pod, '.spec.containers')}`;
}

/** Restarts of the pod's containers, all together. */
export function podRestarts(pod: KubeObject): number {
  const counts = findByPath(pod, '.status.containerStatuses[*].restartCount');
  return counts.reduce<number>((sum, restarts) => sum + Number(restarts), 0);
}

/** What best tells how the pod does: why a container waits or ended, else the phase. */
export function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const waiting = textAt(pod, '.status.containerStatuses[*].state.waiting.reason');
  const ended = textAt(pod, '.status.containerStatuses[*].state.terminated.reason');
  return textAt(pod, '.status.reason') || waiting || ended || textAt(pod, '.status.phase') || 'Pending';
}
