import type { Deployment } from '../kinds/workloads.js';

/** A ReplicaSet as a rollout sees it. */
export interface RolloutSet {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly desired: number;
  readonly running: number;
  readonly available: number;
}

/**
 * How many pods each ReplicaSet should have next, by name. Pure.
 * Source: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
export function planRollout(spec: Deployment['spec'], sets: readonly RolloutSet[]): ReadonlyMap<string, number> {
  const current = sets.find((set) => set.isCurrent);
  const old = sets.filter((set) => !set.isCurrent);
  const plan = new Map<string, number>();
  if (!current) return scaleNewest(spec, old, plan);
  if (spec.strategy.type === 'Recreate') return recreate(spec, current, old, plan);

  const { maxSurge, maxUnavailable } = limits(spec);
  const total = sum(sets.map((set) => set.desired));
  const room = Math.max(0, spec.replicas + maxSurge - total);
  const next = Math.min(spec.replicas, current.desired + room);
  plan.set(current.name, next);

  const mustStay = spec.replicas - maxUnavailable;
  const notYetAvailable = Math.max(0, current.desired - current.available);
  let unhealthyBudget = Math.max(0, total - mustStay - notYetAvailable);
  let healthyBudget = Math.max(0, sum(sets.map((set) => set.available)) - mustStay);
  for (const set of old) {
    const unhealthy = Math.min(Math.max(0, set.desired - set.available), unhealthyBudget);
    const healthy = Math.min(set.desired - unhealthy, healthyBudget, Math.max(0, unhealthyBudget - unhealthy));
    unhealthyBudget -= unhealthy + healthy;
    healthyBudget -= healthy;
    plan.set(set.name, set.desired - unhealthy - healthy);
  }
  return plan;
}

function recreate(
  spec: Deployment['spec'],
  current: RolloutSet,
  old: readonly RolloutSet[],
  plan: Map<string, number>,
): ReadonlyMap<string, number> {
  for (const set of old) plan.set(set.name, 0);
  const isClear = old.every((set) => set.running === 0 && set.desired === 0);
  return plan.set(current.name, isClear ? spec.replicas : 0);
}

/** A paused rollout still follows `replicas`, with the template that has most of them. */
function scaleNewest(
  spec: Deployment['spec'],
  old: readonly RolloutSet[],
  plan: Map<string, number>,
): ReadonlyMap<string, number> {
  const largest = [...old].sort((a, b) => b.desired - a.desired)[0];
  return largest ? plan.set(largest.name, spec.replicas) : plan;
}

function limits({ replicas, strategy }: Deployment['spec']): { maxSurge: number; maxUnavailable: number } {
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy.rollingUpdate ?? {};
  const surge = resolveCount(maxSurge, replicas, Math.ceil);
  const unavailable = resolveCount(maxUnavailable, replicas, Math.floor);
  // Both zero would stand still; Kubernetes then takes one away first.
  return { maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** A number, or a percentage of `total`. */
export function resolveCount(value: number | string, total: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  return percent === undefined ? Number(value) || 0 : round((Number(percent) * total) / 100);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
