import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { PolicyReviewer } from './policy-reviewer.js';

/** Answers what it was told to, for unit tests; allows everything until then. */
export class ScriptedPolicyReviewer extends PolicyReviewer {
  /** What it was asked, in order. */
  readonly requests: PolicyReviewRequest[] = [];
  answer: PolicyReviewResponse | Error = { allowed: true, violations: [] };

  review(request: PolicyReviewRequest): Promise<PolicyReviewResponse> {
    this.requests.push(request);
    return this.answer instanceof Error ? Promise.reject(this.answer) : Promise.resolve(this.answer);
  }
}
