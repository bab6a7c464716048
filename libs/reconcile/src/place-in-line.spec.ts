import { describe, expect, it } from '@jest/globals';
import { placeInLine } from './place-in-line.js';

describe('placeInLine', () => {
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
  ])('tells of %d: %s', (ahead, place) => {
    expect(placeInLine(ahead)).toBe(place);
  });

  it('changes a dozen times on the way from far behind', () => {
    expect(new Set(Array.from({ length: 256 }, (_, ahead) => placeInLine(ahead))).size).toBe(12);
  });
});
