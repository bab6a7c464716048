import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { ServiceCaller } from '../bus.js';
import { PolicyReviewer, type PolicyReviewContext } from './policy-reviewer.js';

const REVIEW_TIMEOUT_MS = 5_000;

/** Asks policy-mgmt over NATS. */
export class NatsPolicyReviewer extends PolicyReviewer {
  /** `service` is the one that asks. */
  constructor(
    private readonly service: string,
    private readonly calls: ServiceCaller,
    private readonly timeoutMs = REVIEW_TIMEOUT_MS,
  ) {
    super();
  }

  async review(request: PolicyReviewRequest, context: PolicyReviewContext): Promise<PolicyReviewResponse> {
    const { traceId, remoteSignal: signal } = context;
    const caller = context.caller ?? { user: `system:${this.service}`, groups: [], service: this.service };
    const callContext = { caller, traceId, ...(signal ? { signal } : {}) };
    return this.calls.call('policy-mgmt', 'review', request, callContext, this.timeoutMs);
  }
}
