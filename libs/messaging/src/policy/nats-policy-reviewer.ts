import type { PolicyDocumentName, PolicyForgetRequest, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { withSpan } from '@crate/telemetry';
import type { ServiceCaller } from '../bus.js';
import { PolicyReviewer, type PolicyReviewContext } from './policy-reviewer.js';
import {
  MOST_RENEWED_AT_ONCE,
  reviewBatches,
  type PolicyReviewAllRequest,
  type PolicyReviewAllResponse,
} from './review-batches.js';

const REVIEW_TIMEOUT_MS = 5_000;
/** To forget or to renew: no verdict waits for it. */
const MEMORY_TIMEOUT_MS = 2_000;
/** A hundred documents take longer than one. */
const BATCH_TIMEOUT_MS = 20_000;

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
    const asked = this.contextOf(context);
    return withSpan('policy review', { attributes: { 'crate.policy.stage': request.stage } }, async (span) => {
      const verdict = await this.calls.call<PolicyReviewResponse>(
        'policy-mgmt',
        'review',
        request,
        asked,
        this.timeoutMs,
      );
      span.set({ 'crate.policy.allowed': verdict.allowed, 'crate.policy.violations': verdict.violations.length });
      return verdict;
    });
  }

  async reviewAll(
    requests: readonly PolicyReviewRequest[],
    context: PolicyReviewContext,
  ): Promise<readonly PolicyReviewResponse[]> {
    const verdicts: PolicyReviewResponse[] = [];
    const batches = reviewBatches(requests);
    const partial = batches.length > 1 ? { partial: true } : {};
    for (const batch of batches) verdicts.push(...(await this.ask({ requests: batch, ...partial }, context)));
    return verdicts;
  }

  async forget(which: PolicyForgetRequest, context: PolicyReviewContext): Promise<boolean> {
    await this.calls.call('policy-mgmt', 'forget', which, this.contextOf(context), MEMORY_TIMEOUT_MS);
    return true;
  }

  async renew(documents: readonly PolicyDocumentName[], context: PolicyReviewContext): Promise<boolean> {
    for (let at = 0; at < documents.length; at += MOST_RENEWED_AT_ONCE) {
      const some = { documents: documents.slice(at, at + MOST_RENEWED_AT_ONCE) };
      await this.calls.call('policy-mgmt', 'renew', some, this.contextOf(context), MEMORY_TIMEOUT_MS);
    }
    return true;
  }

  private async ask(
    body: PolicyReviewAllRequest,
    context: PolicyReviewContext,
  ): Promise<readonly PolicyReviewResponse[]> {
    const { responses } = await this.calls.call<PolicyReviewAllResponse>(
      'policy-mgmt',
      'reviewAll',
      body,
      this.contextOf(context),
      Math.max(this.timeoutMs, BATCH_TIMEOUT_MS),
    );
    // A document without a verdict must not pass for one that nobody objects to.
    if (responses.length !== body.requests.length) throw unavailable('policy-mgmt has not judged every document');
    return responses;
  }

  private contextOf({ caller: person, traceId, remoteSignal: signal }: PolicyReviewContext): CallContext {
    const caller = person ?? { user: `system:${this.service}`, groups: [], service: this.service };
    return { caller, traceId, ...(signal ? { signal } : {}) };
  }
}
