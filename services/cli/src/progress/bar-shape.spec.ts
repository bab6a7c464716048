import { afterEach, describe, expect, it } from '@jest/globals';
import { barShapeOf, canGoBack, fitted } from './bar-shape.js';

describe('barShapeOf', () => {
  it.each([
    { columns: 200, want: { bar: 24, hasTime: true } },
    { columns: 80, want: { bar: 12, hasTime: true } },
    { columns: 60, want: { bar: 12, hasTime: true } },
    { columns: 40, want: { bar: 0, hasTime: false } },
  ])('has room for $want in $columns columns', ({ columns, want }) => {
    expect(barShapeOf({ columns }, 24)).toEqual({ columns: columns - 1, ...want });
  });

  it.each([{}, { columns: 0 }])('takes a terminal of which nothing is known for a usual one: %j', (terminal) => {
    expect(barShapeOf(terminal, 24)).toEqual(barShapeOf({ columns: 80 }, 24));
  });
});

describe('canGoBack', () => {
  const before = process.env['TERM'];
  afterEach(() => {
    process.env['TERM'] = before ?? '';
  });

  it.each([
    { isTTY: true, term: 'xterm', want: true },
    { isTTY: true, term: 'dumb', want: false },
    { isTTY: false, term: 'xterm', want: false },
  ])('is $want for $term, terminal: $isTTY', ({ isTTY, term, want }) => {
    process.env['TERM'] = term;
    expect(canGoBack({ isTTY } as NodeJS.WriteStream)).toBe(want);
  });
});

describe('fitted', () => {
  it.each([
    ['Starting etcd', 20, 'Starting etcd'],
    ['Starting etcd', 13, 'Starting etcd'],
    ['Starting etcd', 12, 'Starting et…'],
    ['Starting etcd', 10, 'Starting…'],
    ['Starting etcd', 0, ''],
  ])('has of "%s" in %i columns "%s"', (text, width, want) => {
    expect(fitted(text, width)).toBe(want);
  });
});
