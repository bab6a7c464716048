import type { PolicyDocumentName, PolicyForgetRequest, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { PolicyReviewer } from './policy-reviewer.js';

type Answer = PolicyReviewResponse | Error;

/** Answers what it was told to, for unit tests; allows everything until then. */
export class ScriptedPolicyReviewer extends PolicyReviewer {
  /** What it was asked, in order. */
  readonly requests: PolicyReviewRequest[] = [];
  /** What it was told to forget, in order. */
  readonly forgotten: PolicyForgetRequest[] = [];
  /** What it was told to be there still, in order. */
  readonly renewed: PolicyDocumentName[] = [];
  /** How often it was called: once for all documents of a `reviewAll`. */
  calls = 0;
  /** A function where it depends on the document. */
  answer: Answer | ((request: PolicyReviewRequest) => Answer) = { allowed: true, violations: [] };

  async review(request: PolicyReviewRequest): Promise<PolicyReviewResponse> {
    this.calls += 1;
    return this.verdictOn(request);
  }

  async reviewAll(requests: readonly PolicyReviewRequest[]): Promise<readonly PolicyReviewResponse[]> {
    this.calls += 1;
    return Promise.all(requests.map((request) => this.verdictOn(request)));
  }

  forget(which: PolicyForgetRequest): Promise<boolean> {
    this.forgotten.push(which);
    return Promise.resolve(true);
  }

  renew(documents: readonly PolicyDocumentName[]): Promise<boolean> {
    this.renewed.push(...documents);
    return Promise.resolve(true);
  }

  private verdictOn(request: PolicyReviewRequest): Promise<PolicyReviewResponse> {
    this.requests.push(request);
    const answer = typeof this.answer === 'function' ? this.answer(request) : this.answer;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }
}
