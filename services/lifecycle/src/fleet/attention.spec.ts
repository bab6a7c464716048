import { describe, expect, it } from '@jest/globals';
import { attentionOf, CONCERNS, rankOf, type Concern } from './attention.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('attentionOf', () => {
  const rows: readonly { concern: Concern; stood: number; want: number }[] = [
    { concern: 'None', stood: 30 * DAY, want: 0 },
    { concern: 'Paused', stood: 0, want: 10 },
    { concern: 'UnderWay', stood: 0, want: 20 },
    { concern: 'UnderWay', stood: 5 * MINUTE, want: 21 },
    { concern: 'Retried', stood: 20 * MINUTE, want: 52 },
    { concern: 'Degraded', stood: HOUR, want: 63 },
    { concern: 'Decision', stood: 3 * HOUR, want: 74 },
    { concern: 'Stuck', stood: DAY, want: 87 },
    { concern: 'Failed', stood: 0, want: 90 },
    { concern: 'Failed', stood: 365 * DAY, want: 99 },
    // The clock of who wrote it may be ahead.
    { concern: 'Failed', stood: -HOUR, want: 90 },
  ];
  it.each(rows)('is $want for $concern after $stood ms', ({ concern, stood, want }) => {
    expect(attentionOf(rankOf(concern), 1_000_000, 1_000_000 + stood)).toBe(want);
  });

  it('never turns the order of concerns around, however long they have stood', () => {
    const youngest = CONCERNS.map((concern) => attentionOf(rankOf(concern), 0, 0));
    const oldest = CONCERNS.map((concern) => attentionOf(rankOf(concern), 0, 1000 * DAY));
    for (let rank = 1; rank < CONCERNS.length; rank += 1) expect(youngest[rank]).toBeGreaterThan(oldest[rank - 1] ?? 0);
    expect(Math.max(...oldest)).toBeLessThanOrEqual(100);
  });
});
