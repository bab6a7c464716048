import type { PodSpec } from '../kinds/pod-spec.js';

const SCALE: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A quantity as a number; 0 when absent or malformed. */
export function parseQuantity(value: string | number | undefined): number {
  if (typeof value === 'number') return value;
  const match = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([numkMGTPE]|[KMGTPE]i|)$/.exec(value ?? '');
  return match ? Number(match[1]) * (SCALE[match[2] ?? ''] ?? 0) : 0;
}

/** What a pod asks its node for. */
export interface PodRequests {
  readonly cpu: number;
  readonly memory: number;
}

/** Sum over containers; limits stand in for requests that are not stated, as in Kubernetes. */
export function podRequests({ containers }: PodSpec): PodRequests {
  const total = (name: 'cpu' | 'memory'): number =>
    containers.reduce(
      (sum, { resources }) => sum + parseQuantity(resources.requests?.[name] ?? resources.limits?.[name]),
      0,
    );
  return { cpu: total('cpu'), memory: total('memory') };
}

/** Source: https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/ */
export function qosClass({ containers }: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const all = containers.map(({ resources }) => resources);
  if (all.every(({ requests, limits }) => isEmpty(requests) && isEmpty(limits))) return 'BestEffort';
  const isGuaranteed = all.every(({ requests, limits }) =>
    (['cpu', 'memory'] as const).every((name) => {
      const limit = limits?.[name];
      return limit !== undefined && parseQuantity(requests?.[name] ?? limit) === parseQuantity(limit);
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function isEmpty(quantities: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.keys(quantities ?? {}).length === 0;
}
