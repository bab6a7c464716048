import { describe, expect, it } from '@jest/globals';
import { lastWithin } from './last-within.js';

describe('what was known last', () => {
  it('does for what is not known now, until it is too old', () => {
    let now = 0;
    const known = lastWithin<string>(100, () => now);
    expect(known(undefined)).toBeUndefined();
    expect(known('one')).toBe('one');
    now = 50;
    expect(known('two')).toBe('two');
    now = 150;
    expect(known(undefined)).toBe('two');
    now = 151;
    expect(known(undefined)).toBeUndefined();
    expect(known('three')).toBe('three');
  });
});
