import { describe, expect, it } from '@jest/globals';
import { conditionMessage, factOf } from './condition-facts.js';
import { conditionFalse, mergeConditions } from './conditions.js';

describe('conditionMessage', () => {
  it.each([
    { name: 'one line of many', given: ' Error:\n\n  no\tsuch zone \n', want: 'Error: no such zone' },
    { name: 'all of what fits', given: 'x'.repeat(300), want: 'x'.repeat(300) },
    { name: 'the beginning of what does not', given: 'x'.repeat(301), want: `${'x'.repeat(299)}…` },
    { name: 'no half of a character where it is cut', given: `${'x'.repeat(298)}🚫🚫`, want: `${'x'.repeat(298)}…` },
    { name: 'nothing that cannot be stored', given: 'a\0b \ud83d c 🚫', want: 'ab  c 🚫' },
  ])('gives $name', ({ given, want }) => {
    expect(conditionMessage(given)).toBe(want);
  });

  it('is as short as is asked for, where other words come behind it', () => {
    expect(conditionMessage('x'.repeat(5), 4)).toBe('xxx…');
    expect(conditionMessage('x'.repeat(4), 4)).toBe('xxxx');
  });
});

describe('factOf', () => {
  it('gives back the fact that a condition was made of', () => {
    const fact = conditionFalse('Ready', 'NotReady', 'Not yet');
    const [condition] = mergeConditions([], [fact], { generation: 1, now: new Date(0) });

    expect(factOf(condition!)).toEqual(fact);
  });
});
