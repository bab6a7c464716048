import type { Infrastructure, PolicyReviewRequest, PolicyReviewResponse, PolicyViolation } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { ServiceCaller } from '@crate/messaging';
import type { ReconcileContext } from '@crate/reconcile';
import { reviewedPlan } from './reviewed-plan.js';

const REVIEW_TIMEOUT_MS = 15_000;
/** Answers whether a plan may be applied. */
export abstract class PlanReviewer {
  /** Throws Unavailable or Timeout without a verdict, which must never count as allowed. */
  abstract review(
    infrastructure: Infrastructure,
    provider: string,
    plan: Readonly<Record<string, unknown>>,
    context: Pick<ReconcileContext, 'traceId' | 'remoteSignal'>,
  ): Promise<PolicyReviewResponse>;
}

/** Asks policy-mgmt. */
export class ServicePlanReviewer extends PlanReviewer {
  constructor(private readonly services: ServiceCaller) {
    super();
  }

  async review(
    infrastructure: Infrastructure,
    provider: string,
    plan: Readonly<Record<string, unknown>>,
    context: Pick<ReconcileContext, 'traceId' | 'remoteSignal'>,
  ): Promise<PolicyReviewResponse> {
    const { name, namespace = '' } = infrastructure.metadata;
    const request: PolicyReviewRequest = {
      stage: 'TerraformPlan',
      document: reviewedPlan(plan),
      subject: { namespace, name, provider },
    };
    const caller = { user: 'system:cloud-mgmt', groups: [], service: 'cloud-mgmt' };
    const callContext = { caller, traceId: context.traceId, signal: context.remoteSignal };
    return this.services.call('policy-mgmt', 'review', request, callContext, REVIEW_TIMEOUT_MS);
  }
}

/** The refusal a person sees: rule, level, field and remedy of every broken `must` rule. */
export function policyDenied(infrastructure: Infrastructure, violations: readonly PolicyViolation[]): PlatformError {
  const broken = violations.filter(({ level }) => level === 'must');
  const causes = broken.map(({ policy, level, field, message, remedy }) => ({
    reason: 'PolicyViolation',
    field,
    message: `${message} (policy ${policy}, level ${level}): ${remedy}`,
  }));
  const [first] = broken;
  const summary = causes.map((cause) => `${cause.field}: ${cause.message}`).join('; ');
  return new PlatformError('Forbidden', `The plan is denied by policy: ${summary}`, {
    // A policy may change as well as the spec.
    retry: 'slow',
    details: {
      kind: infrastructure.kind,
      name: infrastructure.metadata.name,
      reason: 'PolicyDenied',
      causes,
      ...(first ? { field: first.field, remedy: first.remedy } : {}),
    },
  });
}
