import { beforeEach, describe, expect, it } from '@jest/globals';
import { KnownReadiness } from './known-readiness.js';

const slot = { name: 'policy-mgmt', version: '1.0.0', isExtra: false, restarts: 0, logFile: '' };

let answer: boolean;
let asked: number;
let now: number;
let readiness: KnownReadiness;
beforeEach(() => {
  [answer, asked, now] = [true, 0, 0];
  const ask = (): Promise<boolean> => {
    asked += 1;
    return Promise.resolve(answer);
  };
  readiness = new KnownReadiness(ask, () => now);
});

describe('what a process said of itself', () => {
  it('stands for some seconds', async () => {
    for (now = 0; now < 3_000; now += 300) expect(await readiness.of(slot, false)).toBe(true);
    expect(asked).toBe(1);
    answer = false;
    now = 3_000;
    expect(await readiness.of(slot, false)).toBe(false);
  });

  it('does not stand where it is not ready: it is asked until it is', async () => {
    answer = false;
    expect(await readiness.of(slot, false)).toBe(false);
    answer = true;
    expect(await readiness.of(slot, false)).toBe(true);
    expect(asked).toBe(2);
  });

  it.each([
    { reason: 'it ended and runs again', other: { restarts: 1 } },
    { reason: 'it runs in another version', other: { version: '2.0.0' } },
    { reason: 'it is another one', other: { name: 'lifecycle' } },
  ])('does not stand where $reason', async ({ other }) => {
    await readiness.of(slot, false);
    answer = false;
    expect(await readiness.of({ ...slot, ...other }, false)).toBe(false);
  });

  it('does not stand for a decision', async () => {
    await readiness.of(slot, false);
    answer = false;
    expect(await readiness.of(slot, true)).toBe(false);
    expect(await readiness.of(slot, false)).toBe(false);
  });
});
