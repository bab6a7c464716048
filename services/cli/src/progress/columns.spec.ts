import { expect, it } from '@jest/globals';
import { Columns } from './columns.js';

it('keeps to one line for each row, whatever cells hold', () => {
  expect(new Columns().lines([['a\nb\u001b[1A', 'c']])).toEqual(['a b\\u001b[1A  c']);
});

it('keeps columns where they were, until one has to grow', () => {
  const columns = new Columns();
  expect(
    columns.lines([
      ['A', 'B'],
      ['long', 'x'],
    ]),
  ).toEqual(['A     B', 'long  x']);
  expect(columns.lines([['s', 'y']])).toEqual(['s     y']);
  expect(columns.lines([['longest', 'z']])).toEqual(['longest  z']);
  expect(columns.lines([['s', 'y']])).toEqual(['s        y']);
});
