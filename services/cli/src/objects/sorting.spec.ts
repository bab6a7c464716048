import { describe, expect, it } from '@jest/globals';
import { JsonPath } from './json-path.js';
import { sortedBy } from './sorting.js';

function sorted(values: readonly unknown[], path = '.at'): readonly unknown[] {
  return sortedBy(
    values.map((at) => ({ at })),
    JsonPath.parse(path),
    (item) => item,
  ).map(({ at }) => at);
}

describe('sortedBy', () => {
  it.each([
    { what: 'numbers by their value', values: [10, 9, -1], want: [-1, 9, 10] },
    { what: 'numbers in names', values: ['node-10', 'node-2', 'a'], want: ['a', 'node-2', 'node-10'] },
    {
      what: 'times',
      values: ['2026-11-22T00:00:00Z', '2026-02-01T00:00:00Z'],
      want: ['2026-02-01T00:00:00Z', '2026-11-22T00:00:00Z'],
    },
    { what: 'what has no value first', values: ['b', undefined, 'a'], want: [undefined, 'a', 'b'] },
    { what: 'truth after falsehood', values: [true, false], want: [false, true] },
  ])('orders $what', ({ values, want }) => {
    expect(sorted(values)).toEqual(want);
  });

  it('leaves equals, and everything without a path, as they came', () => {
    const items = [
      { id: 1, at: 'x' },
      { id: 2, at: 'x' },
    ];
    expect(sortedBy(items, JsonPath.parse('{.at}'), (item) => item)).toEqual(items);
    expect(sortedBy([2, 1], undefined, (item) => item)).toEqual([2, 1]);
  });
});
