import type { Cluster, Condition, FleetHealth, Plan } from '@crate/api';
import { conditionOf, isTrue } from './conditions.js';
import { phaseOf } from './plan/plan-phase.js';

/** How a cluster stands, why, and what to do. */
export interface ClusterHealth {
  readonly health: FleetHealth;
  /** In the words of what reports it. */
  readonly message?: string;
  readonly remedy?: string;
  /** What to do where nobody who reports it says so. */
  readonly advice?: 'nodes' | 'silent' | 'drift' | 'policy';
  /** Since when it stands so, in UTC. */
  readonly since?: string;
  /** Field of the spec that caused it. */
  readonly field?: string;
  /** Stable reason code. */
  readonly code?: string;
  readonly traceId?: string;
}

/** Reasons of InSync for which nothing is put back before somebody decides. */
const HELD: ReadonlySet<string> = new Set(['OnHold', 'CorrectionHeld', 'ReleaseHeld', 'RunHeld']);
/** What is more pressing than a decision that waits. */
const WORSE: ReadonlySet<FleetHealth> = new Set(['Failing', 'Blocked', 'Deleting', 'Paused']);

/** Plans that somebody is to decide about, the oldest first. Pure. */
export function undecided(plans: readonly Plan[]): readonly Plan[] {
  return plans
    .filter((plan) => phaseOf(plan).phase === 'Ready')
    .toSorted((left, right) => left.metadata.creationTimestamp.localeCompare(right.metadata.creationTimestamp));
}

/** The same as the fleet says of it: whether a plan waits is more pressing than whether all is well. Pure. */
export function healthWithPlans(health: FleetHealth, waiting: readonly Plan[]): FleetHealth {
  return waiting.length === 0 || WORSE.has(health) ? health : 'Blocked';
}

/** The most pressing of what can be said of a cluster. Pure. */
export function clusterHealth(cluster: Cluster): ClusterHealth {
  const { spec, status, metadata } = cluster;
  if (metadata.deletionTimestamp !== undefined) return deleting(cluster);
  if (spec.paused) return { health: 'Paused' };
  if (status?.failure) return { health: 'Failing', ...status.failure };
  return conditionHealth(cluster);
}

function conditionHealth(cluster: Cluster): ClusterHealth {
  const { status } = cluster;
  const ready = conditionOf(status?.conditions, 'Ready');
  if (ready?.status === 'True') return serving(cluster);
  if (ready?.status === 'Unknown')
    return { health: 'Degraded', message: ready.message, since: ready.lastTransitionTime, advice: 'silent' };
  const lost = lostNodes(cluster);
  if (lost) return { health: 'Degraded', message: lost.message, since: lost.lastTransitionTime, advice: 'nodes' };
  return { health: 'Progressing', message: status?.progress?.message ?? ready?.message ?? '' };
}

function deleting({ status }: Cluster): ClusterHealth {
  const blocker = status?.deletion?.blockers[0];
  const isBlocked = conditionOf(status?.conditions, 'Deleting')?.reason === 'DeletionBlocked';
  if (!blocker) return { health: 'Deleting', ...(status?.failure ?? {}) };
  const { message, remedy, since } = blocker;
  return { health: isBlocked ? 'Blocked' : 'Deleting', message, since, ...(remedy === undefined ? {} : { remedy }) };
}

/** It is ready, and yet not everything of it may be as it should be. */
function serving({ status }: Cluster): ClusterHealth {
  for (const [type, advice] of [
    ['InSync', 'drift'],
    ['PolicyCompliant', 'policy'],
  ] as const) {
    const condition = conditionOf(status?.conditions, type);
    if (condition?.status !== 'False') continue;
    const { reason, message, lastTransitionTime: since } = condition;
    return { health: HELD.has(reason) ? 'Blocked' : 'Degraded', message, since, advice };
  }
  return { health: 'Healthy' };
}

/** Nodes are missing that were there: nothing was asked for that is still to be done. */
function lostNodes({ metadata, status }: Cluster): Condition | undefined {
  const nodes = conditionOf(status?.conditions, 'NodesReady');
  const isSettled = status?.observedGeneration === metadata.generation;
  const isUp = isTrue(status?.conditions, 'ControlPlaneReady');
  return isSettled && isUp && nodes?.status === 'False' ? nodes : undefined;
}
