import { describe, expect, it } from '@jest/globals';
import { checkListing, type ListingQuestion } from './listing-lag.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const LAG_MS = 60_000;

type Run = ListingQuestion['runs'][number];

function aRun(endedAt: string | undefined, add: number | undefined, state: Run['state'] = 'interrupted'): Run {
  const planSummary = add === undefined ? undefined : { add, change: 0, remove: 0, import: 0 };
  return {
    kind: 'apply',
    state,
    planSummary,
    endedAt: endedAt === undefined ? undefined : new Date(`2026-03-01T${endedAt}Z`),
  };
}

const EDIT: Run = { ...aRun('11:59:58', undefined), kind: 'edit' };

describe('checkListing', () => {
  it.each([
    { reason: 'nothing ever ran', runs: [], want: undefined },
    { reason: 'a run died a moment ago in the middle of creating', runs: [aRun('11:59:50', 3)], want: 50_000 },
    { reason: 'it died long enough ago', runs: [aRun('11:59:00', 3)], want: undefined },
    { reason: 'it was about to create nothing', runs: [aRun('11:59:50', 0)], want: undefined },
    { reason: 'it died before it had a plan', runs: [aRun('11:59:50', undefined)], want: undefined },
    { reason: 'the one before it did create', runs: [aRun('11:59:58', undefined), aRun('11:59:30', 1)], want: 30_000 },
    {
      reason: 'a success in between settled it',
      runs: [aRun('11:59:58', undefined), aRun('11:59:55', 0, 'succeeded'), aRun('11:59:50', 1)],
      want: undefined,
    },
    {
      reason: 'a state was put in place that may not know what the success made',
      runs: [EDIT, aRun('11:59:50', 3, 'succeeded')],
      want: 50_000,
    },
    {
      reason: 'no run since that state was put in place came to its end',
      runs: [aRun('11:59:59', undefined), EDIT, aRun('11:59:50', 3, 'succeeded')],
      want: 50_000,
    },
    {
      reason: 'a run has succeeded with it since',
      runs: [aRun('11:59:59', undefined), aRun('11:59:59', 0, 'succeeded'), EDIT, aRun('11:59:50', 3, 'succeeded')],
      want: undefined,
    },
    { reason: 'it failed, which may have been a lost answer', runs: [aRun('11:59:50', 3, 'failed')], want: 50_000 },
  ])('waits $want ms: $reason', ({ runs, want }) => {
    const check = (): void => checkListing({ runs, lagMs: LAG_MS, now: NOW });

    if (want === undefined) expect(check).not.toThrow();
    else
      expect(check).toThrow(
        expect.objectContaining({
          code: 'Unavailable',
          details: expect.objectContaining({ reason: 'WaitingForListing', retryAfterMs: want }),
        }),
      );
  });

  it('waits for nobody where listings do not lag', () => {
    expect(() => checkListing({ runs: [aRun('12:00:00', 3)], lagMs: 0, now: NOW })).not.toThrow();
  });
});
