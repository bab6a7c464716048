import { describe, expect, it } from '@jest/globals';
import {
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  findCondition,
  isConditionTrue,
  mergeConditions,
  toTimestamp,
} from './conditions.js';

const EARLIER = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-02T00:00:00Z');

describe('mergeConditions', () => {
  const first = mergeConditions(undefined, [conditionFalse('Ready', 'NotReady', 'Starting')], {
    generation: 1,
    now: EARLIER,
  });

  it('stamps time and generation', () => {
    expect(first).toEqual([
      {
        type: 'Ready',
        status: 'False',
        reason: 'NotReady',
        message: 'Starting',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration: 1,
      },
    ]);
  });

  it.each([
    {
      fact: conditionFalse('Ready', 'Other', 'Still starting'),
      want: '2026-01-01T00:00:00Z',
      reason: 'only words moved',
    },
    { fact: conditionTrue('Ready', 'Ready'), want: '2026-01-02T00:00:00Z', reason: 'the status moved' },
    { fact: conditionUnknown('Ready', 'ConnectionDown', ''), want: '2026-01-02T00:00:00Z', reason: 'nobody can look' },
  ])('gives $want as time when $reason', ({ fact, want }) => {
    const [merged] = mergeConditions(first, [fact], { generation: 2, now: LATER });
    expect(merged).toEqual({ ...fact, lastTransitionTime: want, observedGeneration: 2 });
  });

  it('is in the order of the facts, drops what no fact mentions, and leaves what it was given alone', () => {
    const before = JSON.stringify(first);
    const facts = [conditionTrue('Synced', 'ReconcileSuccess'), conditionTrue('Paused', 'Paused')];
    expect(mergeConditions(first, facts, { generation: 1, now: LATER }).map(({ type }) => type)).toEqual([
      'Synced',
      'Paused',
    ]);
    expect(JSON.stringify(first)).toBe(before);
  });

  it('changes nothing when the same is stated again later', () => {
    const facts = [conditionFalse('Ready', 'NotReady', 'Starting')];
    expect(mergeConditions(first, facts, { generation: 1, now: LATER })).toEqual(first);
  });
});

describe('isConditionTrue', () => {
  const conditions = mergeConditions(
    undefined,
    [conditionTrue('Ready', 'Ready'), conditionUnknown('Synced', 'X', '')],
    {
      generation: 3,
      now: EARLIER,
    },
  );

  it.each([
    { type: 'Ready', generation: undefined, want: true, reason: 'it is stated True' },
    { type: 'Ready', generation: 3, want: true, reason: 'it is about this generation' },
    { type: 'Ready', generation: 4, want: false, reason: 'it is about an earlier generation' },
    { type: 'Synced', generation: undefined, want: false, reason: 'Unknown is not True' },
    { type: 'Paused', generation: undefined, want: false, reason: 'nobody has stated it' },
  ])('is $want because $reason', ({ type, generation, want }) => {
    expect(isConditionTrue(conditions, type, generation)).toBe(want);
  });

  it('counts a condition without a generation as one about none', () => {
    const bare = [{ ...conditionTrue('Ready', 'Ready'), lastTransitionTime: toTimestamp(EARLIER) }];
    expect([isConditionTrue(bare, 'Ready'), isConditionTrue(bare, 'Ready', 1)]).toEqual([true, false]);
  });

  it('takes no conditions at all for none stated', () => {
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
    expect(findCondition(undefined, 'Ready')).toBeUndefined();
  });
});

describe('toTimestamp', () => {
  it('has whole seconds in UTC, as Kubernetes writes them', () => {
    expect(toTimestamp(new Date('2026-03-04T05:06:07.891+02:00'))).toBe('2026-03-04T03:06:07Z');
  });
});
