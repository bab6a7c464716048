import { conditionTrue, mergeConditions, type ConditionFact } from '@crate/api';
import { unavailable } from '@crate/errors';
import { describe, expect, it } from '@jest/globals';
import { failedFact, failureInRetry, type FailedObject, type WorkStage } from './failure-in-retry.js';
import { failureOf } from './failure.js';

const failure = failureOf(unavailable('The provider does not answer'), { traceId: 'first' });
const failedAt = (stage: WorkStage): ConditionFact => failedFact({ failure, stage });
const before = (fact: ConditionFact, generation: number): FailedObject => ({
  metadata: { generation: 2 },
  status: { conditions: mergeConditions([], [fact], { generation, now: new Date(0) }), failure },
});

describe('failureInRetry', () => {
  it.each([
    {
      name: 'stays on show while the same generation is tried again',
      given: before(failedAt('work'), 2),
      want: { failure, stage: 'work' },
    },
    { name: 'goes when another generation is asked for', given: before(failedAt('work'), 1), want: undefined },
    { name: 'goes with success', given: before(conditionTrue('Synced', 'ReconcileSuccess'), 2), want: undefined },
    { name: 'is not there before the first pass', given: { metadata: { generation: 2 } }, want: undefined },
  ])('$name', ({ given, want }) => {
    expect(failureInRetry(given, 'work')).toEqual(want);
  });

  it.each([
    { failed: 'check', staysAt: ['check'] },
    { failed: 'plan', staysAt: ['check', 'plan'] },
    { failed: 'work', staysAt: ['check', 'plan', 'work'] },
  ] as const)('stays until a pass is past the stage $failed, where it was met', ({ failed, staysAt }) => {
    const stages = ['check', 'plan', 'work'] as const;
    const stays = stages.filter((reached) => failureInRetry(before(failedAt(failed), 2), reached)?.stage === failed);
    expect(stays).toEqual(staysAt);
  });
});
