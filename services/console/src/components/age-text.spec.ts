import { describe, expect, it } from '@jest/globals';
import { ageText } from './age-text.js';

describe('ageText', () => {
  it.each([
    [500, ''],
    [59_000, '59 s'],
    [61_000, '1 min'],
    [3_900_000, '1 h 5 min'],
    [90_000_000, '1 d 1 h'],
  ])('%d ms is "%s"', (ms, text) => {
    expect(ageText(ms)).toBe(text);
  });
});
