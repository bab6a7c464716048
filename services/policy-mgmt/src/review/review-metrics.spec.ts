import { describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { InMemoryMetrics } from '@crate/telemetry';
import { reviewMetrics } from './review-metrics.js';

const REQUEST = { stage: 'Manifest' } as PolicyReviewRequest;

describe('reviews', () => {
  it.each([
    { verdict: 'allowed', allowed: true },
    { verdict: 'denied', allowed: false },
  ])('are counted as $verdict', async ({ verdict, allowed }) => {
    const metrics = new InMemoryMetrics();
    const judge = (): Promise<PolicyReviewResponse> => Promise.resolve({ allowed, violations: [] });
    await reviewMetrics(metrics).measured(judge)(REQUEST);
    expect(metrics.value('crate_policy_reviews_total', { stage: 'Manifest', verdict })).toBe(1);
    expect(metrics.observed('crate_policy_review_seconds', { stage: 'Manifest' })).toHaveLength(1);
  });

  it('are counted as failed once, by who knows which documents have no verdict', async () => {
    const metrics = new InMemoryMetrics();
    const { measured, failed } = reviewMetrics(metrics);
    await expect(measured(() => Promise.reject(new Error('away')))(REQUEST)).rejects.toThrow('away');
    failed([REQUEST, REQUEST]);
    expect(metrics.value('crate_policy_reviews_total', { stage: 'Manifest', verdict: 'failed' })).toBe(2);
    expect(metrics.observed('crate_policy_review_seconds', { stage: 'Manifest' })).toHaveLength(1);
  });
});
