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

  it('lets a pass that comes alone begin at once', async () => {
    await rate.turn(signal);
    nowMs += 50;
    await rate.turn(signal);
    expect(nowMs).toBe(1_050);
  });

  it('spreads a burst', async () => {
    for (let index = 0; index < 101; index += 1) await rate.turn(signal);
    expect(nowMs).toBe(1_000 + 5_000);
  });

  it('counts what a pass takes as part of its turn, and saves nothing up while there is nothing to do', async () => {
    await rate.turn(signal);
    nowMs += 30;
    await rate.turn(signal);
    expect(nowMs).toBe(1_050);
    nowMs += 60_000;
    await rate.turn(signal);
    await rate.turn(signal);
    expect(nowMs).toBe(61_050 + 50);
  });

  it('ends with whoever waits', async () => {
    const real = new PassRate({ perSecond: 0.01 });
    await real.turn(signal);
    await expect(real.turn(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });
});
