import { ReviewQueue, RuleReviewer, type RememberedJudgements } from '@crate/policy-engine';
import type { ServiceMethod } from '@crate/messaging';
import type { Foundation } from '@crate/service-host';
import type { ReportParts } from '../report/report.parts.js';
import type { RuleSource } from '../report/rule-source.js';
import { reviewMethods, type ReviewMethodParts } from './review-methods.js';
import { measuredJudge } from './review-metrics.js';

/** Everything that reviews are made of. */
export interface ReviewParts extends ReviewMethodParts {
  readonly methods: Readonly<Record<string, ServiceMethod>>;
}

interface JudgedBy extends Pick<ReportParts, 'note'> {
  readonly rules: RuleSource;
  /** Shared with reports: what a review judged is not judged again for them. */
  readonly remembered: RememberedJudgements;
}

/** Wires reviews into the service. */
export function reviewParts(
  { logger, metrics }: Pick<Foundation, 'logger' | 'metrics'>,
  { rules, remembered, note }: JudgedBy,
): ReviewParts {
  const queue = new ReviewQueue(new RuleReviewer(logger, undefined, undefined, remembered));
  const judge = measuredJudge(async (request) => {
    const { response } = await queue.review(request, rules.inForce(request.stage, request.subject.namespace));
    // What is denied does not come into being; what is asked about without an operation is there.
    if (response.allowed || request.operation === undefined) note(request);
    return response;
  }, metrics);
  const judging = { ensureFresh: () => rules.ensureFresh(), judge };
  return { ...judging, methods: reviewMethods(judging) };
}
