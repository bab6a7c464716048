import type { Pod } from '../kinds/pod.js';
import { setConditions } from '../workloads/conditions.js';
import type { ContainerState } from './local-container.js';
import type { Obstacle } from './local-pods.js';

type Status = NonNullable<Pod['status']>;

/** What its processes are doing. The same status again when they did before. */
export function localStatus(pod: Pod, states: ReadonlyMap<string, ContainerState>, now: string): Status {
  const all = [...states.values()];
  const isReady = all.every((state) => state.isReady);
  const ready = isReady ? { status: 'True' } : { status: 'False', reason: 'ContainersNotReady' };
  const facts = [
    ...['PodReadyToStartContainers', 'Initialized', 'PodScheduled'].map((type) => ({ type, status: 'True' })),
    ...['Ready', 'ContainersReady'].map((type) => ({ type, ...ready })),
  ];
  return {
    ...pod.status,
    phase: phaseOf(all),
    conditions: setConditions(pod.status?.conditions, facts, now),
    containerStatuses: pod.spec.containers.map(({ name, image }) => ({
      ...{ name, image, imageID: image },
      ...shown(states.get(name)),
    })),
  };
}

/** Its processes cannot be started. */
export function blockedStatus(pod: Pod, obstacle: Obstacle): Status {
  const containerStatuses = pod.spec.containers.map(({ name, image }) => ({
    ...{ name, image, imageID: '', ready: false, started: false, restartCount: 0 },
    state: { waiting: { ...obstacle } },
  }));
  return { ...pod.status, phase: 'Pending', containerStatuses };
}

function phaseOf(states: readonly ContainerState[]): 'Running' | 'Succeeded' | 'Failed' {
  const codes = states.map(({ state }) => ('terminated' in state ? state.terminated.exitCode : undefined));
  if (codes.includes(undefined)) return 'Running';
  return codes.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

function shown(state: ContainerState | undefined): {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly [field: string]: unknown;
} {
  return {
    ready: state?.isReady ?? false,
    started: state?.isStarted ?? false,
    restartCount: state?.restartCount ?? 0,
    state: state?.state ?? { waiting: { reason: 'ContainerCreating' } },
    ...(state?.lastTermination ? { lastState: { terminated: state.lastTermination } } : {}),
  };
}
