import type { Plan, PlanPhase } from '@crate/api';
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
