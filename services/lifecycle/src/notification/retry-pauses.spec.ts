import { describe, expect, it } from '@jest/globals';
import { retryPauses } from './retry-pauses.js';

const OPTIONS = { retryMs: 5_000, longestRetryMs: 900_000 };

describe('retryPauses', () => {
  it.each([
    { failures: 1, random: 0, want: 2_500 },
    { failures: 1, random: 0.999999, want: 5_000 },
    { failures: 2, random: 0, want: 5_000 },
    { failures: 5, random: 0, want: 40_000 },
    { failures: 50, random: 0, want: 450_000 },
  ])('waits longer with each failure: $want ms after $failures', ({ failures, random, want }) => {
    const counts = { ofMessage: failures, inARow: 1 };
    expect(retryPauses({}, counts, { ...OPTIONS, random: () => random }).messageMs).toBe(want);
  });

  it('tries another message within a minute, however often the channel failed', () => {
    const { channelMs } = retryPauses({}, { ofMessage: 1, inARow: 40 }, { ...OPTIONS, random: () => 0.999999 });
    expect(channelMs).toBe(60_000);
  });

  it('holds no other message up for those of several who did not take one', () => {
    const pauses = retryPauses({ outstanding: ['bob@example.org'] }, { ofMessage: 1, inARow: 9 }, OPTIONS);
    expect(pauses).toMatchObject({ channelMs: 0 });
    expect(pauses.messageMs).toBeGreaterThanOrEqual(2_500);
  });

  it('waits as long as the receiver asks, with everything', () => {
    const pauses = retryPauses({ retryAfterMs: 3_600_000 }, { ofMessage: 1, inARow: 1 }, OPTIONS);
    expect(pauses).toEqual({ messageMs: 3_600_000, channelMs: 3_600_000 });
  });

  it('waits longer than asked for where that is wiser', () => {
    const counts = { ofMessage: 5, inARow: 5 };
    expect(retryPauses({ retryAfterMs: 1 }, counts, { ...OPTIONS, random: () => 0 }).messageMs).toBe(40_000);
  });
});
