import { POLICY_STAGES, type PolicyReviewRequest, type PolicyReviewResponse } from '@crate/api';
import type { Metrics } from '@crate/telemetry';

type Judge = (request: PolicyReviewRequest) => Promise<PolicyReviewResponse>;

const VERDICTS = ['allowed', 'denied', 'failed'] as const;
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The same judgement, with how many there were, what came of them, and how long they took. */
export function measuredJudge(judge: Judge, metrics: Metrics): Judge {
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
  return async (request) => {
    const { stage } = request;
    const begun = performance.now();
    let verdict: (typeof VERDICTS)[number] = 'failed';
    try {
      const response = await judge(request);
      verdict = response.allowed ? 'allowed' : 'denied';
      return response;
    } finally {
      total.add(1, { stage, verdict });
      duration.observe((performance.now() - begun) / 1000, { stage });
    }
  };
}
