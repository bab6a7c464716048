import { describe, expect, it } from '@jest/globals';
import { withoutPaths } from './without-paths.js';

describe('withoutPaths', () => {
  const given = { a: { b: 1, c: 2 }, list: [{ x: 1, y: 2 }, { x: 3 }, 7], d: 4 };

  it.each([
    { reason: 'nothing goes', paths: [], want: given },
    { reason: 'several members of one object', paths: [['a'], ['d']], want: { list: given.list } },
    {
      reason: 'members of the items of a list',
      paths: [
        ['list', 0, 'x'],
        ['list', 1, 'x'],
      ],
      want: { ...given, list: [{ y: 2 }, {}, 7] },
    },
    {
      reason: 'what is not there',
      paths: [
        ['a', 'z'],
        ['list', 9, 'x'],
        ['d', 'e'],
      ],
      want: given,
    },
  ])('$reason', ({ paths, want }) => {
    expect(withoutPaths(given, paths)).toEqual(want);
  });

  it('reads each item of a list once, however many of them have a member too many', () => {
    let reads = 0;
    const read = { get: (target: object[], key: string | symbol): unknown => ((reads += 1), Reflect.get(target, key)) };
    const items = Array.from({ length: 2000 }, () => ({ x: 1, y: 2 }));
    const paths = items.map((_, index) => ['list', index, 'x']);
    const { list } = withoutPaths({ list: new Proxy(items, read) }, paths) as { list: readonly object[] };
    expect(list).toEqual(items.map(() => ({ y: 2 })));
    expect(reads).toBeLessThan(10_000);
  });
});
