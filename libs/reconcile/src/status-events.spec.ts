import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  type ConditionFact,
  type Failure,
  type KubeObject,
} from '@crate/api';
import { conflict, unavailable } from '@crate/errors';
import { InMemoryEventRecorder } from './event-recorder.js';
import { settled, type Pass } from './outcome.js';
import { failureEvent, nameSome, recordPass, type ConditionTellings } from './status-events.js';

const TELLINGS: ConditionTellings<KubeObject> = {
  Ready: {
    becameTrue: () => ({ type: 'Normal', reason: 'BecameTrue', message: '' }),
    becameUntrue: () => ({ type: 'Warning', reason: 'BecameUntrue', message: '' }),
    becameFalse: (_, { reason }) => ({ type: 'Warning', reason: `False${reason}`, message: '' }),
  },
};
const SETTLED: Pass = { ok: true, outcome: settled };
const FAILURE: Failure = { code: 'QuotaExceeded', message: 'No more machines', retryable: true, traceId: 'a' };

let recorder: InMemoryEventRecorder;
beforeEach(() => {
  recorder = new InMemoryEventRecorder();
});

function anObject(status?: { conditions?: readonly ConditionFact[]; failure?: Failure }): KubeObject {
  const metadata = { name: 'demo', uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Demo', metadata, ...(status ? { status } : {}) };
}

describe('recordPass, on conditions', () => {
  const yes = conditionTrue('Ready', 'Ready');
  const no = conditionFalse('Ready', 'Waiting', '');
  it.each([
    { before: undefined, after: yes, want: ['Normal BecameTrue'], reason: 'it is true for the first time' },
    { before: no, after: yes, want: ['Normal BecameTrue'], reason: 'it was false' },
    { before: yes, after: yes, want: [], reason: 'nothing changed' },
    { before: no, after: no, want: [], reason: 'nothing changed' },
    { before: yes, after: no, want: ['Warning BecameUntrue'], reason: 'it was true' },
    {
      before: yes,
      after: conditionUnknown('Ready', 'Down', ''),
      want: ['Warning BecameUntrue'],
      reason: 'it was true',
    },
    { before: undefined, after: no, want: ['Warning FalseWaiting'], reason: 'it is false for the first time' },
    {
      before: no,
      after: conditionFalse('Ready', 'Other', ''),
      want: ['Warning FalseOther'],
      reason: 'for another reason',
    },
    { before: no, after: conditionUnknown('Ready', 'Down', ''), want: [], reason: 'nobody knows' },
    { before: yes, after: conditionTrue('Other', 'x'), want: [], reason: 'it is not stated any more' },
  ])('tells $want: $reason', ({ before, after, want }) => {
    const objects = { before: anObject(before && { conditions: [before] }), after: anObject({ conditions: [after] }) };
    recordPass(recorder, TELLINGS, { ...objects, pass: SETTLED, traceId: 'trace' });
    expect(recorder.reasons).toEqual(want);
  });

  it('names the trace', () => {
    const after = anObject({ conditions: [yes] });
    recordPass(recorder, TELLINGS, { before: anObject(), after, pass: SETTLED, traceId: 'trace' });
    expect(recorder.events).toMatchObject([{ kind: 'Demo', name: 'demo', traceId: 'trace' }]);
  });
});

describe('recordPass, on a long text', () => {
  it('cuts what is wrong, and never what to do about it', () => {
    const failure = { ...FAILURE, message: 'm'.repeat(2_000), field: 'spec.nodePools', remedy: 'Ask for less' };
    const tellings: ConditionTellings<KubeObject> = { Ready: { becameTrue: () => failureEvent(failure) } };
    const after = anObject({ conditions: [conditionTrue('Ready', 'Ready')] });
    recordPass(recorder, tellings, { before: anObject(), after, pass: SETTLED, traceId: 'a' });
    const [message = ''] = recorder.events.map((event) => event.message);
    expect(message.length).toBeLessThan(400);
    expect(message).toMatch(/m…; field: spec\.nodePools; what to do: Ask for less$/);
  });
});

describe('recordPass, on failures', () => {
  const failed: Pass = { ok: false, error: unavailable('No') };
  it.each([
    { pass: failed, before: undefined, want: 1, reason: 'the pass failed' },
    { pass: failed, before: FAILURE, want: 1, reason: 'it failed again, which is counted' },
    { pass: SETTLED, before: undefined, want: 1, reason: 'the status tells of a failure it did not have' },
    { pass: SETTLED, before: { ...FAILURE, traceId: 'b' }, want: 0, reason: 'the failure stays on show' },
    {
      pass: { ok: false, error: conflict('Race') } satisfies Pass,
      before: undefined,
      want: 0,
      reason: 'a race was lost',
    },
    { pass: failed, before: undefined, isFailureKnown: true, want: 0, reason: 'somebody else tells it' },
  ])('tells $want: $reason', ({ pass, before, want, isFailureKnown = false }) => {
    const objects = { before: anObject(before && { failure: before }), after: anObject({ failure: FAILURE }) };
    recordPass(recorder, {}, { ...objects, pass, traceId: 'trace', isFailureKnown });
    expect(recorder.reasons).toEqual(want === 0 ? [] : ['Warning QuotaExceeded']);
  });

  it('says where and what to do', () => {
    expect(failureEvent({ ...FAILURE, field: 'spec.nodePools', remedy: 'Ask for more' })).toEqual({
      type: 'Warning',
      reason: 'QuotaExceeded',
      message: 'No more machines; field: spec.nodePools; what to do: Ask for more',
    });
  });
});

describe('nameSome', () => {
  it.each([
    { names: ['b', 'a'], want: 'a, b' },
    { names: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], want: 'a, b, c, d, e and 2 more' },
  ])('$want', ({ names, want }) => {
    expect(nameSome(names)).toBe(want);
  });
});
