import { describe, expect, it } from '@jest/globals';
import { isAsExpected } from './expected-output.js';

describe('what a page says that is printed', () => {
  it.each([
    { name: 'the same', printed: 'a\nb\n', expected: 'a\nb\n', want: true },
    { name: 'wider columns', printed: 'NAME      READY\n', expected: 'NAME  READY\n', want: true },
    { name: 'a word that varies', printed: 'since 12:00:01 by ada\n', expected: 'since … by ada\n', want: true },
    { name: 'lines that vary', printed: 'a\nx\ny\nb\n', expected: 'a\n…\nb\n', want: true },
    { name: 'no line where some may be', printed: 'a\nb\n', expected: 'a\n…\nb\n', want: true },
    { name: 'signs of regular expressions', printed: 'a.b (c)*\n', expected: 'a.b (c)*\n', want: true },
    { name: 'another word', printed: 'axb\n', expected: 'a.b\n', want: false },
    { name: 'a line more', printed: 'a\nb\nc\n', expected: 'a\nb\n', want: false },
    { name: 'a line less', printed: 'a\n', expected: 'a\nb\n', want: false },
    { name: 'what varies does not reach over lines', printed: 'a\nb\n', expected: 'a…b\n', want: false },
    { name: 'nothing', printed: '', expected: 'a\n', want: false },
  ])('$name: $want', ({ printed, expected, want }) => {
    expect(isAsExpected(printed, expected)).toBe(want);
  });
});
