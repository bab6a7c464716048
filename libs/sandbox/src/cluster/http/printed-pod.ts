import type { Pod } from '../kinds/pod.js';

interface ContainerState {
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
}

/** The cells `kubectl get pods` shows that no field holds. */
export function printedPod(pod: Pod): Readonly<Record<string, unknown>> {
  const statuses = pod.status?.containerStatuses ?? [];
  const ready = statuses.filter((status) => status.ready).length;
  return {
    ready: `${ready}/${pod.spec.containers.length}`,
    reason: reasonOf(pod),
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    readinessGates: '<none>',
    ip: pod.status?.podIP ?? '<none>',
    node: pod.spec.nodeName ?? '<none>',
    nominatedNode: '<none>',
  };
}

/** The most telling word about a pod's state, as kubectl picks it. */
function reasonOf(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const { containerStatuses = [], reason, phase = 'Unknown' } = pod.status ?? {};
  const states = containerStatuses.map((status) => status['state'] as ContainerState | undefined);
  const waiting = states.map((state) => state?.waiting?.reason);
  const terminated = states.map((state) => state?.terminated?.reason);
  return [...waiting, ...terminated, reason].find((word) => word !== undefined) ?? phase;
}
