import { isWithin, toTimestamp, type ApprovedPlanStatus, type Infrastructure } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { PlanReading } from './plan-reading.js';

/** Reason of a refusal because the plan is not the one that was approved. */
export const PLAN_OUTDATED = 'PlanOutdated';

/**
 * Refuses a plan with more impact than is allowed (`ImpactAboveCeiling`), also when that cannot be told. Throws Forbidden, tried
 * again now and then: the ceiling may be raised.
 */
export function checkCeiling({ kind, metadata, spec }: Infrastructure, { impact }: PlanReading): void {
  const { maxImpact: ceiling } = spec;
  if (ceiling === undefined || isWithin(impact?.impact, ceiling)) return;
  const found = impact ? `has impact ${impact.impact} (${impact.address})` : 'has an impact that cannot be told';
  throw new PlatformError('Forbidden', `The plan ${found}, spec.maxImpact allows ${ceiling} at most`, {
    retry: 'slow',
    details: {
      kind,
      name: metadata.name,
      reason: 'ImpactAboveCeiling',
      field: 'spec.maxImpact',
      remedy: `Raise spec.maxImpact of the cluster${impact ? ` to ${impact.impact}` : ''}, or take the change back`,
    },
  });
}

/**
 * Lets pass the plan that was approved, and once that has begun what is left of it. Gives what to remember before anything is done:
 * a killed run must be able to go on. Undefined when there is nothing to remember. Throws Forbidden (`PlanOutdated`).
 */
export function checkApproval(
  { kind, metadata, spec, status }: Infrastructure,
  { digest, addresses }: PlanReading,
  now: Date,
): ApprovedPlanStatus | undefined {
  const approved = spec.approvedPlan;
  if (!approved) return undefined;
  const begun = status?.approvedPlan;
  const hasBegun = begun?.name === approved.name && begun.digest === approved.digest;
  if (hasBegun) {
    const known = new Set(begun.resources);
    if (addresses.every((address) => known.has(address))) return undefined;
  } else if (digest === approved.digest) {
    return { ...approved, begunAt: toTimestamp(now), resources: [...addresses] };
  }
  const message = hasBegun
    ? `The plan goes beyond what is left of the approved plan "${approved.name}"`
    : `The plan is not the one that was approved as "${approved.name}": the world has moved`;
  throw new PlatformError('Forbidden', message, {
    retry: 'slow',
    details: { kind, name: metadata.name, reason: PLAN_OUTDATED, remedy: 'Plan the change anew and approve that plan' },
  });
}
