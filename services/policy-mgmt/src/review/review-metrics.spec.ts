import { describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { InMemoryMetrics } from '@crate/telemetry';
import { measuredJudge } from './review-metrics.js';

const REQUEST = { stage: 'Manifest' } as PolicyReviewRequest;

describe('reviews', () => {
  it.each([
    { verdict: 'allowed', judge: () => Promise.resolve({ allowed: true, violations: [] } as PolicyReviewResponse) },
    { verdict: 'denied', judge: () => Promise.resolve({ allowed: false, violations: [] } as PolicyReviewResponse) },
    { verdict: 'failed', judge: () => Promise.reject(new Error('away')) },
  ])('are counted as $verdict', async ({ verdict, judge }) => {
    const metrics = new InMemoryMetrics();
    await measuredJudge(judge, metrics)(REQUEST).catch(() => undefined);
    expect(metrics.value('crate_policy_reviews_total', { stage: 'Manifest', verdict })).toBe(1);
    expect(metrics.observed('crate_policy_review_seconds', { stage: 'Manifest' })).toHaveLength(1);
  });
});
