import { describe, expect, it } from '@jest/globals';
import { Backoff } from './index.js';

describe('Backoff', () => {
  it.each([
    { attempts: 0, longest: 1_000 },
    { attempts: 3, longest: 8_000 },
    { attempts: 7, longest: 120_000 },
    { attempts: 5_000, longest: 120_000 },
  ])('after $attempts failures spreads evenly up to $longest ms', ({ attempts, longest }) => {
    const at = (random: number): number => new Backoff({ random: () => random }).delayMs(attempts);

    expect([at(0), at(0.5), at(1)]).toEqual([0, longest / 2, longest]);
  });

  it('spreads a fixed time by a tenth', () => {
    const at = (random: number): number => new Backoff({ random: () => random }).spread(1_000);

    expect([at(0), at(0.5), at(1)]).toEqual([900, 1_000, 1_100]);
  });

  it.each([
    { capMs: 30_000, wantMs: 300_000, reason: 'what only somebody else can mend is left alone for minutes' },
    {
      capMs: 120_000,
      wantMs: 300_000,
      reason: 'a longer pause after other failures is no reason to wait longer for that',
    },
    { capMs: 3_000, wantMs: 30_000, reason: 'where everything is to be tried again soon, this is as well' },
  ])('is slow for $wantMs ms where other pauses end at $capMs: $reason', ({ capMs, wantMs }) => {
    expect(new Backoff({ capMs, random: () => 0.5 }).slowMs()).toBe(wantMs);
  });
});
