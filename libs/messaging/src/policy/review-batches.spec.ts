import type { PolicyReviewRequest } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { MOST_REVIEWS_AT_ONCE, reviewBatches } from './review-batches.js';

function requests(count: number, text = ''): PolicyReviewRequest[] {
  const subject = { namespace: 'team-a', name: 'demo' };
  return Array.from({ length: count }, (_, index) => ({ stage: 'Manifest', document: { index, text }, subject }));
}

describe('reviewBatches', () => {
  it.each([
    { name: 'none', given: requests(0), want: [] },
    { name: 'as many as one call takes', given: requests(MOST_REVIEWS_AT_ONCE), want: [MOST_REVIEWS_AT_ONCE] },
    { name: 'one more', given: requests(MOST_REVIEWS_AT_ONCE + 1), want: [MOST_REVIEWS_AT_ONCE, 1] },
  ])('sends $name in as few calls as there have to be', ({ given, want }) => {
    const batches = reviewBatches(given);
    expect(batches.map((batch) => batch.length)).toEqual(want);
    expect(batches.flat()).toEqual(given);
  });

  it('fills a call with no more bytes than it may have, and sends what is too large alone', () => {
    const given = [...requests(5, 'x'.repeat(300)), ...requests(1, 'x'.repeat(5_000)), ...requests(1)];
    const batches = reviewBatches(given, 1_000);

    expect(batches.map((batch) => batch.length)).toEqual([2, 2, 1, 1, 1]);
    expect(batches.flat()).toEqual(given);
  });
});
