import { describe, expect, it } from '@jest/globals';
import { placeAfter } from './log-place.js';

const LINE = 21;
const startOf = (index: number): number => index * LINE;
const drawn = (from: number, dropped = 0): Parameters<typeof placeAfter>[0] => ({
  dropped,
  items: Array.from({ length: 30 }, (_, place) => ({ index: from + place, start: startOf(from + place) })),
});

describe('the place where somebody reads', () => {
  it.each([
    { reason: 'lines above it went', from: 100, at: 105 * LINE + 4, dropped: 60, want: 45 * LINE + 4 },
    { reason: 'it went itself', from: 100, at: 105 * LINE + 4, dropped: 500, want: 4 },
    { reason: 'nothing went', from: 100, at: 105 * LINE + 4, dropped: 0, want: 105 * LINE + 4 },
  ])('is where it was after $reason', ({ from, at, dropped, want }) => {
    expect(placeAfter(drawn(from), at, dropped, startOf)).toBe(want);
  });

  it('stays as it is while nothing is drawn', () => {
    expect(placeAfter({ dropped: 0, items: [] }, 77, 5, startOf)).toBe(77);
  });
});
