import { describe, expect, it } from '@jest/globals';
import { digestOf, idOf, makeToken, tokenPrefix } from './api-key.token.js';

describe('a token', () => {
  it('is recognised by its shape and its checksum', () => {
    const { token, id, digest } = makeToken();
    expect(token).toMatch(/^crate_[0-9A-Za-z]{65}$/);
    expect(token.startsWith(tokenPrefix(id))).toBe(true);
    expect(idOf(token)).toBe(id);
    expect(digestOf(token).equals(digest)).toBe(true);
  });

  it('is never made twice', () => {
    const made = new Set(Array.from({ length: 1000 }, () => makeToken().token));
    expect(made.size).toBe(1000);
  });

  it('keeps its form: what is issued must stay recognisable', () => {
    expect(idOf(`crate_${'0'.repeat(16)}${'z'.repeat(43)}2YJ1ca`)).toBe('0'.repeat(16));
  });

  it.each([
    { name: 'a changed letter', change: (token: string) => token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) },
    { name: 'a letter less', change: (token: string) => token.slice(0, -1) },
    { name: 'a letter more', change: (token: string) => `${token}A` },
    { name: 'another beginning', change: (token: string) => token.replace('crate_', 'crete_') },
    { name: 'a letter of another alphabet', change: (token: string) => token.replace(/.$/, 'é') },
    { name: 'nothing', change: () => '' },
  ])('is refused with $name', ({ change }) => {
    expect(idOf(change(makeToken().token))).toBeUndefined();
  });
});
