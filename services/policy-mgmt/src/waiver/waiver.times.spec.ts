import { describe, expect, it } from '@jest/globals';
import { nextMomentMs, noticeDue } from './waiver.times.js';

describe('times of a waiver', () => {
  it.each([
    { leftMs: 11, due: undefined, next: 1 },
    { leftMs: 10, due: 10, next: 5 },
    { leftMs: 6, due: 10, next: 1 },
    { leftMs: 5, due: 5, next: 5 },
    { leftMs: 0, due: undefined, next: undefined },
    { leftMs: -1, due: undefined, next: undefined },
  ])('with $leftMs left, notice $due is due, and the next moment in $next', ({ leftMs, due, next }) => {
    expect(noticeDue(100, [5, 10], 100 - leftMs)).toBe(due);
    expect(nextMomentMs(100, [5, 10], 100 - leftMs)).toBe(next);
  });
});
