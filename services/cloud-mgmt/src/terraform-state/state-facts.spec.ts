import { describe, expect, it } from '@jest/globals';
import { nextEdit } from './state-facts.js';

const NOW = new Date('2026-11-26T12:00:00Z');
const now = NOW.getTime();
const HOUR_MS = 3_600_000;

describe('nextEdit', () => {
  it.each([
    { name: 'goes by the time', before: undefined, next: now },
    { name: 'goes by the time after the serials of before', before: 4, next: now },
    { name: 'is greater than one of a clock that was ahead', before: now + HOUR_MS, next: now + HOUR_MS + 1 },
    { name: 'takes nothing from a row that was changed: far ahead', before: now + 25 * HOUR_MS, next: now },
    { name: 'takes nothing from a row that was changed: the last integer', before: Number.MAX_SAFE_INTEGER, next: now },
    { name: 'takes nothing from a row that was changed: beyond all integers', before: 1e300, next: now },
    { name: 'takes nothing from a row that was changed: a fraction', before: now + 0.5, next: now },
    { name: 'takes nothing from a row that was changed: a text', before: '9', next: now },
  ])('$name', ({ before, next }) => {
    expect(nextEdit(before === undefined ? undefined : { edit: before }, NOW)).toBe(next);
  });
});
