import { describe, expect, it } from '@jest/globals';
import { slotProgress } from './slot-progress.js';

describe('slotProgress', () => {
  it.each([
    [0, 'next in line'],
    [1, '1 ahead'],
    [5, '5 ahead'],
    [6, 'more than 5 ahead'],
    [10, 'more than 5 ahead'],
    [11, 'more than 10 ahead'],
    [20, 'more than 10 ahead'],
    [21, 'more than 20 ahead'],
    [100, 'more than 50 ahead'],
    [101, 'more than 100 ahead'],
    [999, 'more than 500 ahead'],
  ])('tells of %d: %s', (ahead, who) => {
    expect(slotProgress(ahead).message).toBe(`Waiting for a Terraform slot, ${who}`);
  });

  it('changes a dozen times on the way from far behind', () => {
    const places = Array.from({ length: 256 }, (_, place) => slotProgress(place).message);
    expect(new Set(places).size).toBe(12);
  });
});
