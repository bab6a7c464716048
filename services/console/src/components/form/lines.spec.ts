import { describe, expect, it } from '@jest/globals';
import { isOfLines, listLines, mapLines } from './lines.js';

describe('values of several parts', () => {
  it.each([
    { type: 'string', lines: ['a', ' b '], value: ['a', 'b'] },
    { type: 'integer', lines: ['1', 'two'], value: [1, 'two'], reason: 'the server objects to what is no number' },
    { type: 'integer', lines: ['9007199254740993'], value: ['9007199254740993'], reason: 'no number is just that' },
  ])('are items of $type, a line each', ({ type, lines, value }) => {
    const list = listLines({ type: 'array', items: { type } });
    expect(list?.fromLines(lines)).toEqual(value);
    expect(list?.toLines(value)).toEqual(value.map(String));
  });

  it('are pairs, a line each', () => {
    const map = mapLines({ type: 'object', additionalProperties: { type: 'string' } });
    expect(map?.fromLines(['tier=web', 'query=a=b', 'empty'])).toEqual({ tier: 'web', query: 'a=b', empty: '' });
    expect(map?.toLines({ tier: 'web' })).toEqual(['tier=web']);
  });

  it('have no lines where a part is more than a text or a number', () => {
    expect(listLines({ type: 'array', items: { type: 'object' } })).toBeUndefined();
    expect(mapLines({ type: 'object', additionalProperties: true })).toBeUndefined();
  });

  const TEXTS = listLines({ type: 'array', items: { type: 'string' } });
  const MAP = mapLines({ type: 'object', additionalProperties: { type: 'string' } });

  it.each([
    { reason: 'nothing is stated', lines: TEXTS, value: undefined, want: true },
    { reason: 'nothing is stated in the YAML', lines: MAP, value: null, want: true },
    { reason: 'there is none', lines: TEXTS, value: [], want: true },
    { reason: 'each is a line', lines: TEXTS, value: ['a', 'b c'], want: true },
    { reason: 'one has a break', lines: TEXTS, value: ['a\nb', 'c'], want: false },
    { reason: 'one is empty', lines: TEXTS, value: ['a', ''], want: false },
    { reason: 'one begins with a blank', lines: TEXTS, value: [' a'], want: false },
    { reason: 'one is no text', lines: TEXTS, value: [1], want: false },
    { reason: 'it is no list', lines: TEXTS, value: 'a', want: false },
    { reason: 'each is a pair', lines: MAP, value: { query: 'a=b', empty: '' }, want: true },
    { reason: 'a value has a break', lines: MAP, value: { a: 'x\ny' }, want: false },
    { reason: 'a name has what ends names', lines: MAP, value: { 'a=b': 'c' }, want: false },
  ])('come back from lines as they were, or not, as $reason', ({ lines, value, want }) => {
    expect(lines && isOfLines(lines, value)).toBe(want);
  });
});
