import { beforeEach, describe, expect, it } from '@jest/globals';
import { PassRate } from './pass-rate.js';

const { signal } = new AbortController();

describe('PassRate', () => {
  let nowMs: number;
  let rate: PassRate;
  beforeEach(() => {
    nowMs = 1_000;
    rate = new PassRate({
      perSecond: 20,
      now: () => nowMs,
      sleep: (ms) => {
        nowMs += ms;
        return Promise.resolve();
      },
    });
  });

  /** A pass that takes so long. */
  const pass = (tookMs: number): Promise<void> =>
    rate.run(signal, () => {
      nowMs += tookMs;
      return Promise.resolve();
    });

  it('lets a pass that comes alone begin at once', async () => {
    await pass(0);
    nowMs += 50;
    await pass(0);
    expect(nowMs).toBe(1_050);
  });

  it('spreads a burst', async () => {
    for (let index = 0; index < 101; index += 1) await pass(0);
    expect(nowMs).toBe(1_000 + 5_000);
  });

  it('counts what a pass takes as part of its turn, and saves nothing up while there is nothing to do', async () => {
    await pass(10);
    await pass(0);
    expect(nowMs).toBe(1_050);
    nowMs += 60_000;
    await pass(0);
    await pass(0);
    expect(nowMs).toBe(61_050 + 50);
  });

  it('lets passes that take long take a fifth of the time, also those that fail', async () => {
    const failing = rate.run(signal, () => {
      nowMs += 40;
      return Promise.reject(new Error('away'));
    });
    await expect(failing).rejects.toThrow('away');
    await pass(100);
    await pass(0);
    expect(nowMs).toBe(1_000 + 5 * 40 + 5 * 100);
  });

  it('never rests longer than a second', async () => {
    await pass(60_000);
    await pass(0);
    expect(nowMs).toBe(1_000 + 60_000 + 1_000);
  });

  it('ends with whoever waits', async () => {
    const real = new PassRate({ perSecond: 0.01 });
    const done = (): Promise<void> => Promise.resolve();
    await real.run(signal, done);
    await expect(real.run(AbortSignal.abort(), done)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
