import type { Pod } from '../kinds/pod.js';
import { setConditions, type CoreCondition } from './conditions.js';

type Status = NonNullable<Pod['status']>;

/** All containers run and answer their probes. The same status again when they did before. */
export function runningStatus(pod: Pod, address: string, now: string): Status {
  const addresses = address ? { podIP: address, podIPs: [{ ip: address }] } : {};
  const initialized = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    ...pod.status,
    ...addresses,
    phase: 'Running',
    conditions: setConditions(pod.status?.conditions, initialized.map(holds), now),
    containerStatuses: pod.spec.containers.map((container) => ({
      name: container.name,
      image: container.image,
      imageID: container.image,
      containerID: `docker://${containerId(pod, container.name)}`,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: startedAt(pod, container.name) ?? now } },
    })),
  };
}

/** The node stopped answering. */
export function unreadyStatus(pod: Pod, now: string): Status {
  const facts = [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }];
  return { ...pod.status, conditions: setConditions(pod.status?.conditions, facts, now) };
}

/** The containers ended well. */
export function finishedStatus(pod: Pod, now: string): Status {
  const facts = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'False', reason: 'PodCompleted' }));
  return {
    ...pod.status,
    phase: 'Succeeded',
    conditions: setConditions(pod.status?.conditions, facts, now),
    containerStatuses: (pod.status?.containerStatuses ?? []).map((status) => ({
      ...status,
      ready: false,
      started: false,
      state: {
        terminated: {
          exitCode: 0,
          reason: 'Completed',
          startedAt: startedAt(pod, status.name) ?? now,
          finishedAt: now,
        },
      },
    })),
  };
}

/** The containers cannot start, for `reason`. */
export function waitingStatus(pod: Pod, reason: string): Status {
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => ({
    ...status,
    state: { waiting: { reason } },
  }));
  return { ...pod.status, phase: 'Pending', containerStatuses };
}

function holds(type: string): CoreCondition {
  return { type, status: 'True' };
}

function startedAt(pod: Pod, container: string): unknown {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container);
  const state = status?.['state'] as { readonly running?: { readonly startedAt?: string } } | undefined;
  return state?.running?.startedAt;
}

/** Looks like a container's id and stays the same for the pod's life. */
function containerId(pod: Pod, container: string): string {
  return Buffer.from(`${pod.metadata.uid}/${container}`).toString('hex').padEnd(64, '0').slice(0, 64);
}
