import type { Cluster, Plan, PlanPhase } from '@crate/api';
import { conditionOf } from '../conditions.js';

/** What became of a plan so far, and its words for it. Pure. */
export function phaseOf({ status }: Plan): { readonly phase: PlanPhase; readonly message: string } {
  const ready = conditionOf(status?.conditions, 'Ready');
  return { phase: (ready?.reason ?? 'Pending') as PlanPhase, message: ready?.message ?? '' };
}

/** True when what the plan stands on is not as it was: then it is not carried out, and another one is to be made. Pure. */
export function hasWorldMoved({ status }: Plan): boolean {
  return status?.end?.reason === 'WorldMoved' || status?.failure?.code === 'WorldMoved';
}

/** True of a plan that can be approved, but would be refused: the cluster is not what it was planned for any more. Pure. */
export function isBehind(plan: Plan, { metadata }: Cluster): boolean {
  const planned = plan.status?.basis?.generation;
  return phaseOf(plan).phase === 'Ready' && planned !== undefined && planned !== metadata.generation;
}

export const PHASE_STATUS = {
  Pending: 'info',
  Ready: 'info',
  Approved: 'info',
  Executing: 'info',
  Executed: 'success',
  Refused: 'danger',
  Failed: 'danger',
  Expired: 'warning',
} as const;
