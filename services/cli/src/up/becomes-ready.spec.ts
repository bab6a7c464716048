import { describe, expect, it } from '@jest/globals';
import { becomesReady, type Readiness } from './becomes-ready.js';

const MOMENT_MS = 60;

async function outcome(options: Partial<Readiness>): Promise<boolean> {
  return becomesReady({
    probe: () => Promise.resolve(false),
    restarts: () => 0,
    isHeld: () => Promise.resolve(false),
    timeoutMs: MOMENT_MS,
    ...options,
  });
}

/** True the first times it is asked. */
function times(number: number): () => Promise<boolean> {
  let asked = 0;
  return () => Promise.resolve((asked += 1) <= number);
}

describe('becomesReady', () => {
  it('is true as soon as it is', async () => {
    expect(await outcome({ probe: times(1) })).toBe(true);
  });

  it('gives up when the time is over, and at once what ended too often', async () => {
    expect(await outcome({})).toBe(false);
    const began = performance.now();
    expect(await outcome({ restarts: () => 5, timeoutMs: 60_000 })).toBe(false);
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('lets no time pass while a move holds it, and has all of it afterwards', async () => {
    const began = performance.now();
    const isReady = (): Promise<boolean> => Promise.resolve(performance.now() - began > 5 * MOMENT_MS);
    expect(await outcome({ isHeld: times(20), probe: isReady })).toBe(true);
    expect(await outcome({ isHeld: times(3) })).toBe(false);
  });

  it('forgets how often it ended while a move held it', async () => {
    let restarts = 0;
    // Ends with each look, until nothing holds it any more.
    const isHeld = (): Promise<boolean> => Promise.resolve(restarts < 8);
    const counting = (): number => (restarts < 8 ? (restarts += 1) : restarts);
    const probe = (): Promise<boolean> => Promise.resolve(restarts === 8);
    expect(await outcome({ restarts: counting, isHeld, probe, timeoutMs: 60_000 })).toBe(true);
  });

  it('ends with the signal, though a move holds it', async () => {
    expect(await outcome({ isHeld: () => Promise.resolve(true), signal: AbortSignal.timeout(MOMENT_MS) })).toBe(false);
  });
});
