import { describe, expect, it } from '@jest/globals';
import { nextEdit } from './state-facts.js';

const NOW = new Date('2026-11-26T12:00:00Z');
const now = NOW.getTime();
const HOUR_MS = 3_600_000;
const IN_2038 = Date.parse('2038-01-19T03:14:07Z');

describe('nextEdit', () => {
  it.each([
    { name: 'goes by the time', before: undefined, next: now },
    { name: 'goes by the time after the serials of before', before: 4, next: now },
    { name: 'is greater than one of a clock that was ahead', before: now + HOUR_MS, next: now + HOUR_MS + 1 },
    { name: 'is greater than one of a clock that was years ahead', before: IN_2038, next: IN_2038 + 1 },
    { name: 'takes nothing from a row that was changed: hardly an integer above it', before: 2 ** 52, next: now },
    { name: 'takes nothing from a row that was changed: the last integer', before: Number.MAX_SAFE_INTEGER, next: now },
    { name: 'takes nothing from a row that was changed: beyond all integers', before: 1e300, next: now },
    { name: 'takes nothing from a row that was changed: a fraction', before: now + 0.5, next: now },
    { name: 'takes nothing from a row that was changed: a text', before: '9', next: now },
  ])('$name', ({ before, next }) => {
    expect(nextEdit(before === undefined ? undefined : { edit: before }, NOW)).toBe(next);
  });
});
