import { describe, expect, it } from '@jest/globals';
import { waitUntil } from './wait.js';

describe('waitUntil', () => {
  it('is true as soon as the answer is', async () => {
    let asked = 0;
    expect(await waitUntil(async () => (asked += 1) === 3, 10_000)).toBe(true);
    expect(asked).toBe(3);
  });

  it('asks once where no time is left', async () => {
    expect(await waitUntil(async () => true, 0)).toBe(true);
  });

  it('is false when the time is over', async () => {
    expect(await waitUntil(async () => false, 50)).toBe(false);
  });

  it('is false as soon as the signal fires', async () => {
    const controller = new AbortController();
    const answer = waitUntil(
      async () => {
        controller.abort();
        return false;
      },
      60_000,
      controller.signal,
    );
    expect(await answer).toBe(false);
    expect(await waitUntil(async () => true, 60_000, controller.signal)).toBe(false);
  });
});
