import { describe, expect, it } from '@jest/globals';
import { ObjectBudget } from './object-budget.js';

const NOW = 1_000_000_000;
const REFILL_MS = 1_000;

const budget = (): ObjectBudget => new ObjectBudget({ burst: 2, refillMs: REFILL_MS, objects: 10 });

describe('ObjectBudget', () => {
  it('allows a burst, and one more after each refill', () => {
    const one = budget();
    const taken = [NOW, NOW, NOW, NOW + REFILL_MS, NOW + REFILL_MS].map((now) => one.take('u1', now));

    expect(taken).toEqual([true, true, false, true, false]);
  });

  it('takes nothing away when the clock is put back, and refills from there', () => {
    const one = budget();
    one.take('u1', NOW);
    const before = NOW - 100 * REFILL_MS;

    expect([one.take('u1', before), one.take('u1', before), one.take('u1', before + REFILL_MS)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
