import { describe, expect, it } from '@jest/globals';
import { compareRevisions } from './compare-revisions.js';

describe('compareRevisions', () => {
  it.each([
    { reason: 'all came, in order', seen: [1, 2, 4], want: { events: 3, lost: 0, surplus: 0, disordered: 0 } },
    { reason: 'one never came', seen: [1, 4], want: { events: 2, lost: 1, surplus: 0, disordered: 0 } },
    { reason: 'the last never came', seen: [1, 2], want: { events: 2, lost: 1, surplus: 0, disordered: 0 } },
    { reason: 'one came twice', seen: [1, 2, 2, 4], want: { events: 4, lost: 0, surplus: 1, disordered: 1 } },
    { reason: 'two changed places', seen: [2, 1, 4], want: { events: 3, lost: 0, surplus: 0, disordered: 1 } },
    {
      reason: 'one came that was never stored',
      seen: [1, 2, 3, 4],
      want: { events: 4, lost: 0, surplus: 1, disordered: 0 },
    },
    { reason: 'nothing came', seen: [], want: { events: 0, lost: 3, surplus: 0, disordered: 0 } },
  ])('counts that $reason', ({ seen, want }) => {
    expect(compareRevisions([1, 2, 4], [seen])).toEqual(want);
  });

  it('sums over all watches', () => {
    expect(compareRevisions([1, 2], [[1, 2], [1], []])).toEqual({ events: 3, lost: 3, surplus: 0, disordered: 0 });
  });
});
