import type {
  PolicyDocumentName,
  PolicyForgetRequest,
  PolicyReviewRequest,
  PolicyReviewResponse,
  PolicyStage,
} from '@crate/api';
import { hasCode } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import { PolicyReviewer, type PolicyReviewContext } from './policy-reviewer.js';
import { policyUnavailable } from './policy-unavailable.js';

/** What is done with a document while nobody can judge it. */
export type WhenUnavailable = 'deny' | 'allow';

export interface GuardedPolicyReviewerOptions {
  /** By stage; absent: `deny`. */
  readonly whenUnavailable: Readonly<Partial<Record<PolicyStage, WhenUnavailable>>>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Decides what no answer means, by stage: throws Unavailable (`PolicyUnavailable`), or allows the document as `unanswered`. A refusal, a
 * malformed request and the end of the pass that asks are no lack of an answer, and stay what they are.
 */
export class GuardedPolicyReviewer extends PolicyReviewer {
  constructor(
    private readonly inner: PolicyReviewer,
    private readonly options: GuardedPolicyReviewerOptions,
  ) {
    super();
  }

  async review(request: PolicyReviewRequest, context: PolicyReviewContext): Promise<PolicyReviewResponse> {
    try {
      return await this.inner.review(request, context);
    } catch (error) {
      return this.without(error, [request], context);
    }
  }

  async reviewAll(
    requests: readonly PolicyReviewRequest[],
    context: PolicyReviewContext,
  ): Promise<readonly PolicyReviewResponse[]> {
    try {
      return await this.inner.reviewAll(requests, context);
    } catch (error) {
      const verdict = this.without(error, requests, context);
      return requests.map(() => verdict);
    }
  }

  /** Never throws: no deletion waits for a report to go. Who can come again, does when it is false. */
  async forget(which: PolicyForgetRequest, context: PolicyReviewContext): Promise<boolean> {
    try {
      return await this.inner.forget(which, context);
    } catch (error) {
      this.options.logger.warn('Nobody could be told what policies are to forget', { error, ...which });
      return false;
    }
  }

  /** Never throws, as `forget`: who tells of it tells it again. */
  async renew(documents: readonly PolicyDocumentName[], context: PolicyReviewContext): Promise<boolean> {
    try {
      return await this.inner.renew(documents, context);
    } catch (error) {
      this.options.logger.warn('Nobody could be told what policies are to go on remembering', {
        error,
        documents: documents.length,
      });
      return false;
    }
  }

  private without(
    error: unknown,
    requests: readonly PolicyReviewRequest[],
    { remoteSignal }: PolicyReviewContext,
  ): PolicyReviewResponse {
    if (!hasCode(error, 'Unavailable', 'Timeout') || remoteSignal?.aborted) throw error;
    const denying = requests.find(({ stage }) => this.options.whenUnavailable[stage] !== 'allow');
    if (denying) throw policyUnavailable(denying.stage, error);
    const [first] = requests;
    this.options.logger.warn('Going on without a verdict of policies', {
      error,
      stage: first?.stage,
      ...first?.subject,
    });
    return { allowed: true, violations: [], unanswered: true };
  }
}
