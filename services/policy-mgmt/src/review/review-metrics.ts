import { POLICY_STAGES, type PolicyReviewRequest, type PolicyReviewResponse } from '@crate/api';
import type { Metrics } from '@crate/telemetry';

type Judge = (request: PolicyReviewRequest) => Promise<PolicyReviewResponse>;

const VERDICTS = ['allowed', 'denied', 'failed'] as const;
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What is counted of reviews. */
export interface ReviewMetrics {
  /** The same judgement, with its verdict and how long it took. One that throws is counted by whoever goes without a verdict for it. */
  readonly measured: (judge: Judge) => Judge;
  /** Told of documents that got no verdict, for whatever reason. */
  readonly failed: (requests: readonly Pick<PolicyReviewRequest, 'stage'>[]) => void;
}

/** Counts reviews by stage and verdict. */
export function reviewMetrics(metrics: Metrics): ReviewMetrics {
  const total = metrics.counter({
    name: 'crate_policy_reviews_total',
    help: 'Documents judged by stage and verdict: allowed, denied, or failed when there was none.',
    labels: ['stage', 'verdict'],
  });
  const duration = metrics.histogram({
    name: 'crate_policy_review_seconds',
    help: 'Time to judge one document, with its wait for others that are judged.',
    labels: ['stage'],
    buckets: BUCKETS,
  });
  for (const stage of POLICY_STAGES) {
    duration.start({ stage });
    for (const verdict of VERDICTS) total.add(0, { stage, verdict });
  }
  const count = (stage: string, verdict: (typeof VERDICTS)[number]): void => total.add(1, { stage, verdict });
  return {
    measured: (judge) => async (request) => {
      const { stage } = request;
      const begun = performance.now();
      try {
        const response = await judge(request);
        count(stage, response.allowed ? 'allowed' : 'denied');
        return response;
      } finally {
        duration.observe((performance.now() - begun) / 1000, { stage });
      }
    },
    failed: (requests) => {
      for (const { stage } of requests) count(stage, 'failed');
    },
  };
}
