import { isDeepStrictEqual } from 'node:util';
import { findCondition, type Infrastructure, type InfrastructureSpec } from '@crate/api';

/** Reason of cloud-mgmt's refusal of a plan that is not the approved one. */
const PLAN_OUTDATED = 'PlanOutdated';

/** Whether cloud-mgmt has found another plan than the approved one it is held to, and goes no further. Pure. */
export function isOutdated(
  { metadata, spec, status }: Infrastructure,
  { approvedPlan }: Pick<InfrastructureSpec, 'approvedPlan'>,
): boolean {
  if (!isDeepStrictEqual(spec.approvedPlan, approvedPlan)) return false;
  // A failure that is left from before this spec says nothing.
  const judged = findCondition(status?.conditions, 'Ready')?.observedGeneration;
  return judged === metadata.generation && status?.failure?.code === PLAN_OUTDATED;
}

/** Whether cloud-mgmt has begun the plan that it is held to: some of it may be there. Pure. */
export function isBegun({ spec, status }: Infrastructure): boolean {
  const [known, asked] = [status?.approvedPlan, spec.approvedPlan];
  return known !== undefined && known.name === asked?.name && known.digest === asked.digest;
}
