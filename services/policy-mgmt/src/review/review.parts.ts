import { ReviewQueue, RuleReviewer, type RememberedJudgements } from '@crate/policy-engine';
import type { ServiceMethod } from '@crate/messaging';
import type { Foundation } from '@crate/service-host';
import type { ReportParts } from '../report/report.parts.js';
import type { RuleSource } from '../report/rule-source.js';
import { noteJudged, type JudgedTogether } from './judged-together.js';
import { reviewMethods, type ReviewMethodParts } from './review-methods.js';
import { measuredJudge } from './review-metrics.js';

/** Everything that reviews are made of. */
export interface ReviewParts extends ReviewMethodParts {
  readonly methods: Readonly<Record<string, ServiceMethod>>;
}

interface JudgedBy extends Pick<ReportParts, 'memory'> {
  readonly rules: RuleSource;
  /** Shared with reports: what a review judged is not judged again for them. */
  readonly remembered: RememberedJudgements;
}

/** Wires reviews into the service. */
export function reviewParts(
  { logger, metrics }: Pick<Foundation, 'logger' | 'metrics'>,
  { rules, remembered, memory }: JudgedBy,
): ReviewParts {
  const queue = new ReviewQueue(new RuleReviewer(logger, undefined, undefined, remembered));
  const judge = measuredJudge(async (request) => {
    const { response } = await queue.review(request, rules.inForce(request.stage, request.subject.namespace));
    return response;
  }, metrics);
  const note = (together: JudgedTogether): void => noteJudged(memory, together);
  const parts = { ensureFresh: () => rules.ensureFresh(), judge, note };
  return { ...parts, methods: reviewMethods(parts) };
}
