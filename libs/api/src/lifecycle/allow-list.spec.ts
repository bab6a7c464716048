import { describe, expect, it } from '@jest/globals';
import { isAllowed } from './allow-list.js';

describe('isAllowed', () => {
  it.each<[string, string, boolean]>([
    ['m5.large', 'm5.large', true],
    ['m5.large', 'm5.*', true],
    ['m5a.large', 'm5.*', false],
    ['m5xlarge', 'm5.*', false],
    ['m5.large', '*', true],
    ['m5.large', 'm*.large', true],
    ['m5.xlarge', 'm*.large', false],
    ['m5.large', '*5*a*e', true],
    ['aa', 'a*a', true],
    ['a', 'a*a', false],
    ['abab', 'ab*ab*ab', false],
    ['', '', true],
    ['x', '', false],
  ])('%s on a list of %s: %s', (value, entry, want) => {
    expect(isAllowed(value, ['nothing', entry])).toBe(want);
  });

  it('allows nothing on an empty list', () => {
    expect(isAllowed('m5.large', [])).toBe(false);
  });
});
