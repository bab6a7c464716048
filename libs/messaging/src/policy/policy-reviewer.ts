import type { PolicyDocumentName, PolicyForgetRequest, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { Caller } from '@crate/resource-client';

/** Under which trace and deadline a review is asked for; the context of a reconcile pass is one. */
export interface PolicyReviewContext {
  readonly traceId: string;
  /** On whose behalf; the service itself when absent. */
  readonly caller?: Caller;
  readonly remoteSignal?: AbortSignal;
}

/** Answers whether a document may be acted on. */
export abstract class PolicyReviewer {
  /** Throws Unavailable or Timeout when there is no verdict; that must never count as allowed. */
  abstract review(request: PolicyReviewRequest, context: PolicyReviewContext): Promise<PolicyReviewResponse>;

  /** A verdict for each of many documents that are let in together, in their order, with as few calls as they fit into. Throws as `review` does, for all of them. */
  abstract reviewAll(
    requests: readonly PolicyReviewRequest[],
    context: PolicyReviewContext,
  ): Promise<readonly PolicyReviewResponse[]>;

  /**
   * Says that documents which were to be remembered have no owner any more; false when nobody could be told. Idempotent. What is not
   * said ages out.
   */
  abstract forget(which: PolicyForgetRequest, context: PolicyReviewContext): Promise<boolean>;

  /** Says that documents are there still that nobody asks about, so that what is remembered of them stays; false when nobody could be told. */
  abstract renew(documents: readonly PolicyDocumentName[], context: PolicyReviewContext): Promise<boolean>;
}
