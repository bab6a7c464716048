import { describe, expect, it } from '@jest/globals';
import { toCelValue } from './cel-value.js';

describe('toCelValue', () => {
  it.each<{ readonly name: string; readonly json: string; readonly want: unknown }>([
    { name: 'whole numbers as ints, others as doubles', json: '[1, -2, 1.5, 1e300]', want: [1n, -2n, 1.5, 1e300] },
    { name: 'members that are null as absent', json: '{"a": null, "b": {"c": null}}', want: { b: {} } },
    { name: 'null in a list as null', json: '[null, {"a": null}]', want: [null, {}] },
    { name: 'null itself', json: 'null', want: null },
    { name: 'texts and truth as they are', json: '{"a": "1", "b": false}', want: { a: '1', b: false } },
  ])('sees $name', ({ json, want }) => {
    expect(toCelValue(JSON.parse(json))).toEqual(want);
  });

  it('keeps a member named __proto__ a member, so that documents change nothing else', () => {
    const value = toCelValue(JSON.parse('{"__proto__": {"admin": true}, "a": 1}')) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value)).toEqual([
      ['__proto__', { admin: true }],
      ['a', 1n],
    ]);
  });
});
