import { describe, expect, it } from '@jest/globals';
import { listLines, mapLines } from './lines.js';

describe('values of several parts', () => {
  it.each([
    { type: 'string', lines: ['a', ' b '], value: ['a', 'b'] },
    { type: 'integer', lines: ['1', 'two'], value: [1, 'two'], reason: 'the server objects to what is no number' },
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
});
