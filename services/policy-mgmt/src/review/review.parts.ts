import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { ReviewQueue, RuleReviewer, type RememberedJudgements } from '@crate/policy-engine';
import type { ServiceMethod } from '@crate/messaging';
import type { Foundation } from '@crate/service-host';
import type { ReportParts } from '../report/report.parts.js';
import type { RuleSource } from '../report/rule-source.js';
import { noteJudged, type JudgedTogether } from './judged-together.js';
import { reviewMethods } from './review-methods.js';
import { reviewMetrics } from './review-metrics.js';

/** Everything that reviews are made of. */
export interface ReviewParts {
  readonly methods: Readonly<Record<string, ServiceMethod>>;
  /** Judges one document that `described` says more of than whoever asks knows. Throws where there is no verdict. */
  readonly review: (request: PolicyReviewRequest, described: Described) => Promise<PolicyReviewResponse>;
}

type Described = (request: PolicyReviewRequest) => Promise<PolicyReviewRequest>;

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
  const { measured, failed } = reviewMetrics(metrics);
  const judge = measured(async (request) => {
    const { response } = await queue.review(request, rules.inForce(request.stage, request.subject.namespace));
    return response;
  });
  const note = (together: JudgedTogether): void => noteJudged(memory, together);
  const ensureFresh = (): Promise<void> => rules.ensureFresh();
  const review: ReviewParts['review'] = async (request, described) => {
    try {
      await ensureFresh();
      return await judge(await described(request));
    } catch (error) {
      failed([request]);
      throw error;
    }
  };
  return { review, methods: reviewMethods({ ensureFresh, judge, note, failed }) };
}
