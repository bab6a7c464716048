import { describe, expect, it } from '@jest/globals';
import { aRow } from './fleet-fixtures.js';
import { expectedHeight, learnHeight } from './row-heights.js';

const PLAIN = aRow('web');
const TOLD = aRow('shop', { progress: { step: 1, steps: 2, message: 'Creating machines' } });

describe('heights of rows', () => {
  it('are guessed before the first was measured, for rows that are not loaded, too', () => {
    expect(expectedHeight(undefined)).toBeGreaterThan(0);
    expect(expectedHeight(undefined)).toBe(expectedHeight(PLAIN));
  });

  it('are expected to be like the lowest of their kind', () => {
    for (const height of [50, 41, 122]) learnHeight(PLAIN, height);
    learnHeight(TOLD, 77);
    expect([PLAIN, undefined, TOLD].map(expectedHeight)).toEqual([41, 41, 77]);
  });

  it('are not learned from what is not laid out', () => {
    learnHeight(PLAIN, 0);
    expect(expectedHeight(PLAIN)).toBeGreaterThan(0);
  });
});
