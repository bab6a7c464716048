import type { PolicyReviewRequest } from '@crate/api';
import type { DetailedReview, PreparedReview, RuleReviewer, RulesInForce } from './policy-reviewer.js';

/** After this time others get their turn: messages are read, and answers sent. */
const TURN_MS = 10;

interface Waiting {
  readonly review: PreparedReview;
  readonly resolve: (detailed: DetailedReview) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Judges what is asked for in one turn of the event loop together: the clock that bounds rules costs as much as several of them, and is
 * started once for all.
 */
export class ReviewQueue {
  private waiting: Waiting[] = [];

  constructor(private readonly reviewer: RuleReviewer) {}

  /** As `RuleReviewer.reviewInDetail`, by the rules that are in force now. */
  async review(request: PolicyReviewRequest, inForce: RulesInForce): Promise<DetailedReview> {
    const review = this.reviewer.prepared(request, inForce);
    return new Promise((resolve, reject) => {
      this.waiting.push({ review, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => this.judge());
    });
  }

  private judge(): void {
    const asked = this.waiting;
    try {
      const reviews = asked.map(({ review }) => review);
      const detailed = this.reviewer.reviewSome(reviews, TURN_MS);
      this.waiting = asked.slice(detailed.length);
      for (const [index, each] of detailed.entries()) asked[index]?.resolve(each);
    } catch (error) {
      this.waiting = [];
      for (const { reject } of asked) reject(error);
    }
    if (this.waiting.length > 0) setImmediate(() => this.judge());
  }
}
