import { describe, expect, it } from '@jest/globals';
import { warningHeaders } from './warning-headers.js';

const many = (count: number, text: string): string[] => Array.from({ length: count }, (_, index) => `${text}${index}`);
const sizeOf = (headers: readonly string[]): number => headers.join('\n').length;

describe('warningHeaders', () => {
  it.each([
    { reason: 'none', warnings: [], want: [] },
    { reason: 'marks that end a text', warnings: ['a "b" \\'], want: [String.raw`299 - "a \"b\" \\"`] },
    { reason: 'what is not Latin-1', warnings: ['a → b\n'], want: ['299 - "a b "'] },
    { reason: 'one that is long alone', warnings: ['x'.repeat(4000)], want: [`299 - "${'x'.repeat(4000)}"`] },
  ])('gives all that fit: $reason', ({ warnings, want }) => {
    expect(warningHeaders(warnings)).toEqual(want);
  });

  it('cuts the long ones when they do not fit', () => {
    const cut = `299 - "${'x'.repeat(253)}..."`;
    expect(warningHeaders(['x'.repeat(4000), 'short', 'x'.repeat(4000)])).toEqual([cut, '299 - "short"', cut]);
  });

  it.each([
    { reason: 'long ones', warnings: many(500, 'unknown field "spec.a-rather-long-name-of-a-field') },
    { reason: 'short ones, which take most of it by being there', warnings: many(5000, '') },
    { reason: 'one of a megabyte among them', warnings: [...many(50, 'w'.repeat(100)), 'x'.repeat(1_000_000)] },
  ])('counts those that do not fit: $reason', ({ warnings }) => {
    const headers = warningHeaders(warnings);
    expect(sizeOf(headers)).toBeLessThan(4200);
    expect(headers.at(-1)).toBe(`299 - "and ${warnings.length - headers.length + 1} more warnings"`);
  });
});
