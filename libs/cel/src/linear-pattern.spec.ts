import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isLinearPattern } from './linear-pattern.js';

describe('isLinearPattern', () => {
  it.each([
    '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
    '^v1\\.[0-9]+\\.',
    '^(a|b)*$',
    '^0?[46]00$',
    '^[^:]*:\\w+$',
    '^(users|groups)$',
    '^a{0,38}$',
    '^(?:ab)?c\\d*?$',
    '^\\D*\\d\\W',
    '^$',
  ])('is %s, which has one way on at each character', (pattern) => {
    expect(isLinearPattern(pattern)).toBe(true);
  });

  it.each([
    { pattern: '^(a+)+$', why: 'two ways to go on with an a' },
    { pattern: '^a*a*$', why: 'two loops that take the same' },
    { pattern: '^(a|ab)(c|bcd)*$', why: 'two ways that begin alike' },
    { pattern: '^(.*)x$', why: 'a dot that takes what ends it' },
    { pattern: '^[a-z]{0,38}[a-z]$', why: 'a counted loop that takes what ends it' },
    { pattern: '^[^-]*\\w$', why: 'a class of all others' },
    { pattern: '[a-z]*$', why: 'nothing that holds it to the beginning' },
    { pattern: '^a|b*c$', why: 'alternatives, of which only one is held' },
    { pattern: '^(a*)*$', why: 'a loop over what may be nothing' },
    { pattern: '^(a?|b?)(c?|d?)$', why: 'two ways to take nothing, which double with each group' },
    { pattern: '^(|)a$', why: 'two ways that are nothing' },
    { pattern: '^(a?)?b$', why: 'nothing taken, or nothing within what is taken' },
    { pattern: '^(ab){2,1000}$', why: 'a long part that is unrolled' },
    { pattern: '^a{1,100000}$', why: 'too many repetitions' },
    { pattern: '^(a)\\1$', why: 'a reference back' },
    { pattern: '^(?=a*)a$', why: 'a look ahead' },
    { pattern: '^a\\sb$', why: 'a class that it does not know' },
    { pattern: '^a$b$', why: 'an end in between' },
    { pattern: '^(', why: 'no pattern' },
    { pattern: '^(a+b?)*$', why: 'a loop within a loop, with more behind it' },
  ])('is not $pattern: $why', ({ pattern }) => {
    expect(isLinearPattern(pattern)).toBe(false);
  });

  it('is no longer one than is worth a look', () => {
    expect(isLinearPattern(`^${'a'.repeat(499)}`)).toBe(true);
    expect(isLinearPattern(`^${'a'.repeat(500)}`)).toBe(false);
  });

  it('is decided by characters alone: a pattern over disjoint letters is, and is not once a letter is in two ways on', () => {
    const letters = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 2 });
    fc.assert(
      fc.property(letters, ([first = '', ...others]) => {
        expect(isLinearPattern(`^(${[first, ...others].join('|')})*$`)).toBe(true);
        expect(isLinearPattern(`^(${[first, ...others, first].join('|')})*$`)).toBe(false);
      }),
    );
  });
});
