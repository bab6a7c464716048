import {
  CLUSTER_ENGINE_LABEL,
  type Infrastructure,
  type PolicyOperation,
  type PolicyReviewRequest,
  type PolicyViolation,
} from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { policyDenied, userInfoOf } from '@crate/messaging';
import type { Caller } from '@crate/resource-client';
import { reviewedPlan } from './reviewed-plan.js';

/** Plans are large. */
export const PLAN_REVIEW_TIMEOUT_MS = 15_000;

/** What is said of a plan besides itself. */
export interface PlanReviewedAs {
  /** CREATE while there is no state, DELETE of a plan that takes everything away; absent: it is what there is. */
  readonly operation?: PolicyOperation;
  /** Who wants to see what it would be; passes ask for nobody, and neither does a service on its own account. */
  readonly caller?: Caller | undefined;
  readonly dryRun?: true;
  readonly remember?: true;
}

/** Asks whether a plan may be applied. Its sensitive values are masked already. */
export function planReview(
  { metadata, spec }: Infrastructure,
  provider: string,
  plan: Readonly<Record<string, unknown>>,
  { operation, caller, dryRun, remember }: PlanReviewedAs = {},
): PolicyReviewRequest {
  const { name, namespace = '', labels } = metadata;
  const engine = labels?.[CLUSTER_ENGINE_LABEL];
  return {
    stage: 'TerraformPlan',
    ...(operation ? { operation } : {}),
    document: reviewedPlan(plan),
    // Its labels are those of the cluster, which hands them down.
    subject: {
      ...{ namespace, name, cluster: spec.clusterName, provider },
      ...(engine === undefined ? {} : { engine }),
      ...(labels ? { labels } : {}),
    },
    ...userInfoOf(caller),
    ...(dryRun ? { dryRun } : {}),
    ...(remember ? { remember } : {}),
  };
}

/** The refusal a person sees. */
export function planDenied(infrastructure: Infrastructure, violations: readonly PolicyViolation[]): PlatformError {
  const details = { kind: infrastructure.kind, name: infrastructure.metadata.name };
  // A policy may change as well as the spec.
  return policyDenied({ name: 'The plan', details, retry: 'slow' }, violations);
}
