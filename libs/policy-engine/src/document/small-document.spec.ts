import { describe, expect, it } from '@jest/globals';
import { isSmall } from './small-document.js';

describe('isSmall', () => {
  it.each([
    { name: 'nothing', value: undefined, want: true },
    { name: 'a text with room for one more', value: 'x'.repeat(9), want: true },
    { name: 'a text that is too long', value: 'x'.repeat(10), want: false },
    { name: 'few items', value: [1, null, [3]], want: true },
    { name: 'many items', value: Array.from({ length: 10 }, () => 1), want: false },
    { name: 'long names of members', value: { [`${'x'.repeat(9)}`]: 1 }, want: false },
    { name: 'many small things that are deep inside', value: { a: { b: { c: [1, 2, 3, 4] } } }, want: false },
  ])('$name: $want', ({ value, want }) => {
    expect(isSmall(value, 10)).toBe(want);
  });
});
