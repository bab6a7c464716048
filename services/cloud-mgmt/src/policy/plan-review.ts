import type { Infrastructure, PolicyReviewRequest, PolicyViolation } from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { policyDenied } from '@crate/messaging';
import { reviewedPlan } from './reviewed-plan.js';

/** Plans are large. */
export const PLAN_REVIEW_TIMEOUT_MS = 15_000;

/** Asks whether a plan may be applied. */
export function planReview(
  { metadata }: Infrastructure,
  provider: string,
  plan: Readonly<Record<string, unknown>>,
): PolicyReviewRequest {
  const { name, namespace = '' } = metadata;
  return { stage: 'TerraformPlan', document: reviewedPlan(plan), subject: { namespace, name, provider } };
}

/** The refusal a person sees. */
export function planDenied(infrastructure: Infrastructure, violations: readonly PolicyViolation[]): PlatformError {
  const details = { kind: infrastructure.kind, name: infrastructure.metadata.name };
  // A policy may change as well as the spec.
  return policyDenied({ name: 'The plan', details, retry: 'slow' }, violations);
}
