import { findCondition, mergeConditions, type DriftStatus, type Infrastructure } from '@crate/api';
import { InMemoryEventRecorder, recordPass, settled } from '@crate/reconcile';
import { describe, expect, it } from '@jest/globals';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { aSpec } from '../testing/a-spec.js';
import { driftFacts, publishedDrift } from './drift-conditions.js';
import { newDriftRecord, type DriftRecord } from './drift-record.js';
import type { DriftScope } from './drift-scope.js';
import { DRIFT_TELLINGS, recordDrift } from './drift.events.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const DRIFT: DriftStatus = {
  since: '2026-11-21T12:00:00Z',
  digest: '0123456789ab',
  resources: [{ address: 'aws_vpc.vpc', type: 'aws_vpc', kind: 'missing', attributes: [] }],
  omitted: 0,
};
const OTHER = { ...DRIFT, digest: 'ba9876543210' };
const KEPT: DriftStatus = { ...DRIFT, resources: [], kept: [{ address: 'aws_vpc.vpc', path: 'name' }] };
const failure = { code: 'Throttled', message: 'Too many requests' };

function anInfrastructure(drift?: DriftStatus, metadata: object = {}): Infrastructure {
  return {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'Infrastructure',
    metadata: { name: 'demo', uid: 'u1', generation: 1, resourceVersion: '1', creationTimestamp: '', ...metadata },
    spec: aSpec('demo'),
    status: { ...(drift ? { drift } : {}) },
  };
}

function scopeOf(record: Partial<DriftRecord> | undefined, drift: Partial<DriftScope> = {}): InfrastructureScope {
  const scope = openScope(anInfrastructure());
  const known = { ...newDriftRecord(NOW, undefined), checkedAt: NOW, ...record };
  if (record) scope.drift = { record: known, isOnHold: false, isApplying: false, ...drift };
  return scope;
}

function told(scope: InfrastructureScope): ReturnType<typeof mergeConditions> {
  return mergeConditions(scope.infrastructure.status?.conditions, driftFacts(scope), { generation: 1, now: NOW });
}

describe('driftFacts', () => {
  it.each([
    { name: 'nobody has come to look', record: undefined, want: { status: 'Unknown', reason: 'NotChecked' } },
    { name: 'nobody looked yet', record: { checkedAt: undefined }, want: { status: 'Unknown', reason: 'NotChecked' } },
    { name: 'nothing differs', record: {}, want: { status: 'True', reason: 'InSync', message: '' } },
    {
      name: 'something differs',
      record: { drift: DRIFT },
      want: { status: 'False', reason: 'Drifted', message: '1 resource differs: aws_vpc.vpc is missing' },
    },
    {
      name: 'something differs and must not be put back',
      record: { drift: DRIFT, held: { code: 'ImpactAboveCeiling', message: 'It destroys a' } },
      want: { reason: 'CorrectionHeld', message: 'It destroys a; 1 resource differs: aws_vpc.vpc is missing' },
    },
    {
      name: 'something was kept',
      record: { drift: KEPT },
      want: { status: 'True', message: '1 attribute is left as found' },
    },
    { name: 'one comparison failed', record: { failures: 2, failure }, want: { status: 'True' } },
    {
      name: 'several comparisons failed',
      record: { failures: 3, failure },
      want: { status: 'Unknown', reason: 'CheckFailed', message: 'Throttled: Too many requests' },
    },
    {
      name: 'several comparisons failed since something differed',
      record: { failures: 9, failure, drift: DRIFT },
      want: {
        status: 'False',
        reason: 'Drifted',
        message: 'Comparisons fail since, Throttled: Too many requests; 1 resource differs: aws_vpc.vpc is missing',
      },
    },
    {
      name: 'several comparisons failed since something must not be put back',
      record: { failures: 3, failure, drift: DRIFT, held: { code: 'ImpactAboveCeiling', message: 'It destroys a' } },
      want: {
        reason: 'CorrectionHeld',
        message: expect.stringMatching(/^Comparisons fail since, Throttled: .*; It destroys a; 1 resource differs/),
      },
    },
    {
      name: 'several comparisons failed at length since something must not be put back',
      record: {
        failures: 3,
        failure: { code: 'PermissionDenied', message: 'x'.repeat(300) },
        drift: DRIFT,
        held: { code: 'ImpactAboveCeiling', message: 'It destroys a' },
      },
      want: {
        reason: 'CorrectionHeld',
        message: expect.stringMatching(
          /^Comparisons fail since, PermissionDenied: x+…; It destroys a; 1 resource differs: aws_vpc.vpc is missing$/,
        ),
      },
    },
    {
      name: 'one comparison failed since something differed',
      record: { failures: 2, failure, drift: DRIFT },
      want: { message: '1 resource differs: aws_vpc.vpc is missing' },
    },
  ])('says whether it is in sync when $name', ({ record, want }) => {
    expect(findCondition(told(scopeOf(record)), 'InSync')).toMatchObject(want);
  });

  it('says which drift holds changes back, and how to release them', () => {
    const scope = scopeOf({ drift: DRIFT }, { isOnHold: true });
    const held = findCondition(told(scope), 'OnHold');
    expect(held).toMatchObject({ status: 'True', reason: 'Drifted' });
    expect(held?.message).toContain('correct-0123456789ab');
    expect(held?.message).toContain('keep-0123456789ab');
    expect(findCondition(told(scopeOf({ drift: DRIFT })), 'OnHold')).toMatchObject({ status: 'False' });
  });

  it.each([
    {
      name: 'what has an impact',
      record: { unasked: 'replace aws_vpc.vpc (replace)', drift: DRIFT },
      want: {
        reason: 'ReleaseHeld',
        message: expect.stringContaining('would replace aws_vpc.vpc (replace). An approved Plan'),
      },
    },
    {
      name: 'what would put back a drift',
      record: { drift: DRIFT },
      want: {
        reason: 'Drifted',
        message: expect.stringContaining('What the release changes waits until somebody decides'),
      },
    },
  ])('says what of a release waits, and how to have it: $name', ({ record, want }) => {
    const scope = scopeOf(record, { isOnHold: true, isReleaseHeld: true });
    expect(findCondition(told(scope), 'OnHold')).toMatchObject({ status: 'True', ...want });
  });

  it.each([
    {
      name: 'with what is to stay',
      record: { drift: DRIFT, unasked: 'destroy a' },
      want: {
        reason: 'Drifted',
        message: expect.stringMatching(/^What is left to do \(destroy a\) waits until somebody/),
      },
    },
    {
      name: 'for it has an impact',
      record: { unasked: 'replace a' },
      want: {
        reason: 'RunHeld',
        message: expect.stringMatching(/^Nobody has asked for what a run would do: replace a\. An approved Plan/),
      },
    },
  ])('says what of a run waits that nobody asked for: $name', ({ record, want }) => {
    expect(findCondition(told(scopeOf(record, { isOnHold: true })), 'OnHold')).toMatchObject({
      status: 'True',
      ...want,
    });
  });

  it.each([
    { name: 'a drift', record: { drift: DRIFT }, hold: { isOnHold: true }, want: /fail since, Throttled; Nothing is/ },
    {
      name: 'what a release waits with',
      record: { unasked: 'replace a' },
      hold: { isOnHold: true, isReleaseHeld: true } as const,
      want: /fail since, Throttled; The release would replace a\. An approved Plan/,
    },
  ])('says of what is held that comparisons fail since: $name', ({ record, hold, want }) => {
    const failing = scopeOf({ ...record, failures: 3, failure }, hold);
    expect(findCondition(told(failing), 'OnHold')?.message).toMatch(want);
    const once = scopeOf({ ...record, failures: 2, failure }, hold);
    expect(findCondition(told(once), 'OnHold')?.message).not.toMatch(/fail/);
  });

  it('keeps what was known for passes that do not come to look, and holds no deletion', () => {
    const before = told(scopeOf({ drift: DRIFT }, { isOnHold: true }));
    const infrastructure = { ...anInfrastructure(DRIFT), status: { conditions: [...before], drift: DRIFT } };
    expect(told(openScope(infrastructure))).toEqual(before);
    expect(publishedDrift(openScope(infrastructure))).toEqual({ drift: DRIFT });
    const deleting = {
      ...infrastructure,
      metadata: { ...infrastructure.metadata, deletionTimestamp: '2026-11-21T12:00:00Z' },
    };
    expect(findCondition(told(openScope(deleting)), 'OnHold')).toMatchObject({ status: 'False' });
  });
});

describe('recordDrift', () => {
  const record = (was: DriftStatus | undefined, is: DriftStatus | undefined, scope?: Partial<DriftScope>): string[] => {
    const events = new InMemoryEventRecorder();
    const drift = scopeOf({}, scope).drift;
    recordDrift(events, { before: anInfrastructure(was), after: anInfrastructure(is), drift, traceId: 't' });
    return events.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  };
  const text = '1 resource differs: aws_vpc.vpc is missing';

  it.each([
    { name: 'appears', was: undefined, is: DRIFT, want: [`Warning Drifted: ${text}`] },
    { name: 'is the same', was: DRIFT, is: DRIFT, want: [] },
    { name: 'is none', was: undefined, is: undefined, want: [] },
    { name: 'changes', was: DRIFT, is: OTHER, want: [`Warning DriftChanged: ${text}`] },
    { name: 'goes', was: DRIFT, is: undefined, want: [`Normal DriftGone: Nothing differs any more: ${text}`] },
    {
      name: 'is put back',
      was: DRIFT,
      is: undefined,
      scope: { isApplying: true },
      want: [`Normal DriftCorrected: Put back: ${text}`],
    },
    {
      name: 'is kept',
      was: DRIFT,
      is: KEPT,
      scope: { hasKept: true } as const,
      want: [`Normal DriftKept: Left as it was found: ${text}`],
    },
    { name: 'that was kept is known', was: KEPT, is: KEPT, want: [] },
  ])('tells once that a drift $name', ({ was, is, scope, want }) => {
    expect(record(was, is, scope)).toEqual(want);
  });

  it('tells what waits for a person, and when it goes on', () => {
    const events = new InMemoryEventRecorder();
    const held = { code: 'ImpactAboveCeiling', message: 'It destroys a' };
    const steps = [
      scopeOf({}),
      scopeOf({ drift: DRIFT, held }, { isOnHold: true }),
      scopeOf({ drift: DRIFT, held }, { isOnHold: true }),
      scopeOf({}),
    ].map((scope) => ({ ...anInfrastructure(), status: { conditions: [...told(scope)] } }));
    for (const [index, after] of steps.entries()) {
      const before = steps[index - 1] ?? anInfrastructure();
      recordPass(events, DRIFT_TELLINGS, { before, after, pass: { ok: true, outcome: settled }, traceId: 't' });
    }
    expect(events.reasons).toEqual(['Warning CorrectionHeld', 'Warning OnHold', 'Normal HoldReleased']);
  });
});
