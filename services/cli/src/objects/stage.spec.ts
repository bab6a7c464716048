import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { aCluster } from '../testing/a-cluster.js';
import { blockersOf, stageOf } from './stage.js';

function after(status: object, generation = 2): KubeObject {
  return { ...aCluster(undefined, generation), status };
}

function ready(observedGeneration: number | undefined, message = ''): object {
  return { type: 'Ready', status: 'True', reason: 'Ready', message, observedGeneration };
}

describe('where an object is', () => {
  const progress = { step: 4, steps: 4, message: 'All phases done' };

  it.each([
    { name: 'nothing yet', status: {}, want: 'Waiting to start' },
    {
      name: 'what was so before the last change',
      status: { progress, conditions: [ready(1)] },
      want: 'Waiting to start',
    },
    { name: 'what it is at', status: { progress, conditions: [ready(2)] }, want: 'All phases done' },
    { name: 'what it is at, where nobody says of which spec', status: { progress }, want: 'All phases done' },
    { name: 'its condition', status: { conditions: [ready(2, 'All is well')] }, want: 'All is well' },
    { name: 'the reason of its condition', status: { conditions: [ready(undefined)] }, want: 'Ready' },
    {
      name: 'why it does not come along, and what to do',
      status: { progress, conditions: [ready(2)], failure: { code: 'QuotaExceeded', message: 'Full', remedy: 'Ask' } },
      want: 'QuotaExceeded: Full. Ask',
    },
  ])('is $name', ({ status, want }) => {
    expect(stageOf(after(status)).message).toBe(want);
  });
});

describe('what is in the way of an object', () => {
  it('is in lines that no text of others makes up', () => {
    const blocker = {
      kind: 'Volume',
      name: 'data',
      since: '10:00',
      message: 'Held\u001b[K\nDone',
      remedy: 'Wait\nDone',
    };
    expect(blockersOf(after({ deletion: { blockers: [blocker] } }))).toEqual([
      'In the way since 10:00: Volume data: Held\\u001b[K Done\n  What to do: Wait Done',
    ]);
  });
});
