import { isApproved, type Cluster, type Plan, type PlanPhase } from '@crate/api';
import { conditionOf } from '../conditions.js';

/** What became of a plan so far, and its words for it. Pure. */
export function phaseOf(plan: Plan): { readonly phase: PlanPhase; readonly message: string } {
  const ready = conditionOf(plan.status?.conditions, 'Ready');
  const phase = isApproved(plan) ? 'Approved' : ((ready?.reason ?? 'Pending') as PlanPhase);
  return { phase, message: ready?.message ?? '' };
}

/** True when what the plan stands on is not as it was: then it is not carried out, and another one is to be made. Pure. */
export function hasWorldMoved({ status }: Plan): boolean {
  return status?.end?.reason === 'WorldMoved' || status?.failure?.code === 'WorldMoved';
}

/** True of a plan that can be approved, but would be refused: the cluster is not what it was planned for any more. Pure. */
export function isBehind(plan: Plan, cluster: Cluster): boolean {
  return phaseOf(plan).phase === 'Ready' && plan.status?.basis !== undefined && !isAsPlanned(plan, cluster);
}

/** True when the same can be planned again and takes nothing back: a whole spec does where others changed the cluster since. Pure. */
export function isRepeatable(plan: Plan, cluster: Cluster): boolean {
  return plan.spec.wanted === undefined || isAsPlanned(plan, cluster);
}

/** Whether the cluster is what the plan stands on, what the plan itself has made of it, or that it was given back since. */
function isAsPlanned({ status }: Plan, { metadata: { uid, generation }, spec }: Cluster): boolean {
  const { basis, execution } = status ?? {};
  const isOwn = execution?.wasGiven === true;
  // It was made by the plan: there was none to stand on.
  if (basis !== undefined && basis.clusterUid === undefined) return isOwn && execution.generation === generation;
  if (basis?.clusterUid !== uid) return false;
  if (basis.generation === generation) return true;
  return isOwn && (execution.generation === generation || sorted(execution.previous) === sorted(spec));
}

/** The same text for the same content. */
function sorted(value: unknown): string {
  const isMap = (each: unknown): each is object => typeof each === 'object' && each !== null && !Array.isArray(each);
  return JSON.stringify(value, (_, each: unknown) =>
    isMap(each) ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))) : each,
  );
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
