import { beforeEach, describe, expect, it } from '@jest/globals';
import { EvaluationPace } from './evaluation-pace.js';

describe('EvaluationPace', () => {
  let nowMs: number;
  let sleepers: { readonly untilMs: number; readonly wake: () => void }[];
  let pace: EvaluationPace;
  beforeEach(() => {
    nowMs = 1_000;
    sleepers = [];
    pace = new EvaluationPace({
      now: () => nowMs,
      sleep: (ms) => new Promise<void>((wake) => sleepers.push({ untilMs: nowMs + ms, wake })),
    });
  });

  /** An evaluation that takes so long; gives when it began. */
  const evaluation = (tookMs: number): Promise<number> =>
    pace.run(() => {
      nowMs += tookMs;
      return nowMs - tookMs;
    });
  const settled = (): Promise<void> => new Promise(setImmediate);

  /** Lets time pass until nobody waits. */
  async function passTime(): Promise<void> {
    await settled();
    for (let next = sleepers.shift(); next; next = sleepers.shift()) {
      nowMs = Math.max(nowMs, next.untilMs);
      next.wake();
      await settled();
    }
  }

  it('lets one that comes alone begin at once', async () => {
    await expect(evaluation(100)).resolves.toBe(1_000);
    nowMs += 400;
    await expect(evaluation(100)).resolves.toBe(1_500);
    expect(sleepers).toEqual([]);
  });

  it('leaves four fifths of the time to others, however many come together', async () => {
    const begun = Promise.all(Array.from({ length: 8 }, () => evaluation(100)));
    await passTime();
    expect([...(await begun)].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => 1_000 + n * 500));
  });

  it('tells who would wait for long to come back, and when', async () => {
    await evaluation(1_500);
    await expect(evaluation(1)).rejects.toMatchObject({ code: 'TooManyRequests', details: { retryAfterMs: 6_000 } });
    nowMs += 1_000;
    const later = evaluation(1);
    await passTime();
    await expect(later).resolves.toBe(8_500);
  });

  it('keeps no more than a few waiting', async () => {
    await evaluation(1);
    const asked = Promise.allSettled(Array.from({ length: 30 }, () => evaluation(0)));
    await passTime();
    expect((await asked).filter(({ status }) => status === 'rejected')).toHaveLength(10);
  });

  it('passes on what is thrown, which takes time, too', async () => {
    const failing = pace.run(() => {
      nowMs += 100;
      throw new Error('mine');
    });
    await expect(failing).rejects.toThrow('mine');
    const next = evaluation(1);
    await passTime();
    await expect(next).resolves.toBe(1_500);
  });
});
