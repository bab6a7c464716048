import { describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest } from '@crate/api';
import { unavailable } from '@crate/errors';
import { RememberedJudgements } from '@crate/policy-engine';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { reviewParts } from './review.parts.js';

const REQUEST: PolicyReviewRequest = { stage: 'Manifest', document: {}, subject: { namespace: 'a', name: 'demo' } };
const away = (): Promise<never> => Promise.reject(unavailable('The database is away'));
const fresh = (): Promise<void> => Promise.resolve();
const described = (request: PolicyReviewRequest): Promise<PolicyReviewRequest> => Promise.resolve(request);

describe('a review that another than a service asks for', () => {
  it.each([
    { name: 'judged', ensureFresh: fresh, described, verdict: 'allowed' },
    { name: 'without a verdict while rules are not up to date', ensureFresh: away, described, verdict: 'failed' },
    {
      name: 'without a verdict while nobody knows the cluster',
      ensureFresh: fresh,
      described: away,
      verdict: 'failed',
    },
  ])('is counted when it is $name', async ({ verdict, ensureFresh, ...asked }) => {
    const metrics = new InMemoryMetrics();
    const rules = { ensureFresh, inForce: () => ({ policies: [], waivers: [] }) };
    const memory = { note: () => undefined, renew: () => undefined };
    const remembered = new RememberedJudgements();
    const { review } = reviewParts({ logger: new InMemoryLogger(), metrics }, { rules, remembered, memory });
    const outcome = review(REQUEST, asked.described).then(
      ({ allowed }) => (allowed ? 'allowed' : 'denied'),
      () => 'failed',
    );
    expect(await outcome).toBe(verdict);
    expect(metrics.value('crate_policy_reviews_total', { stage: 'Manifest', verdict })).toBe(1);
  });
});
