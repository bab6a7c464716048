import { findCondition, toTimestamp, type Infrastructure, type InfrastructureStatus } from '@crate/api';
import { invariant, unavailable } from '@crate/errors';
import { settled, waiting, type Pass } from '@crate/reconcile';
import { TerraformError } from '@crate/terraform';
import { describe, expect, it } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { OUTPUTS } from '../testing/in-memory-cloud.js';
import { openScope, type InfrastructureScope } from './infrastructure.scope.js';
import { infrastructureStatus } from './infrastructure.status.js';

const context = { now: new Date('2026-11-21T12:00:00Z'), traceId: 'trace-2', warnAfterMs: 900_000 };
const done: Pass = { ok: true, outcome: settled };
const quota = new TerraformError({
  code: 'QuotaExceeded',
  message: 'VcpuLimitExceeded: You have requested more',
  address: 'aws_instance.demo-workers-0',
  providerCode: 'VcpuLimitExceeded',
  remedy: 'Ask for a higher quota',
  retryable: true,
});

const BLOCKER = { kind: 'aws_vpc', name: 'vpc-1', reason: 'StillListed', message: 'Listed still' };

function anInfrastructure(
  status?: InfrastructureStatus,
  metadata: Partial<Infrastructure['metadata']> = {},
): Infrastructure {
  return {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'Infrastructure',
    metadata: {
      name: 'demo',
      namespace: 'team-a',
      uid: 'u1',
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2026-11-21T11:00:00Z',
      ...metadata,
    },
    spec: aSpec('demo'),
    ...(status ? { status } : {}),
  };
}

function statusOf(
  pass: Pass,
  fields: Partial<InfrastructureScope> = {},
  infrastructure = anInfrastructure(),
): InfrastructureStatus {
  return infrastructureStatus({ ...openScope(infrastructure), ...fields }, pass, context);
}

const ready = (status: InfrastructureStatus): unknown => findCondition(status.conditions, 'Ready');
const applied = { isApplied: true, outputs: OUTPUTS, stateSerial: 4, stack: { document: {}, hash: 'h' } };

describe('infrastructureStatus', () => {
  it('is ready once the stack is applied, and says what it publishes', () => {
    const status = statusOf(done, { ...applied, progress: { step: 7, steps: 9, message: 'Creating x' } });

    expect(ready(status)).toMatchObject({ status: 'True', observedGeneration: 3 });
    expect(status).toMatchObject({
      observedGeneration: 3,
      outputs: OUTPUTS,
      stateSerial: 4,
      appliedHash: 'h',
      progress: { step: 9, steps: 9, message: 'Ready' },
    });
    expect(status.failure).toBeUndefined();
  });

  it('is the same after a second pass over a settled Infrastructure', () => {
    const first = statusOf(done, applied);
    const { outputs: _outputs, ...observed } = applied;

    expect(statusOf(done, observed, anInfrastructure(first))).toEqual(first);
  });

  it('is ready while what only the release changes waits, and has applied what it had', () => {
    const settled = { ...applied, settingsHash: 's' };
    const before = anInfrastructure(statusOf(done, settled));
    const released = { ...settled, isReleased: true, settingsHash: 's2', stack: { document: {}, hash: 'h2' } };
    expect(before.status).toMatchObject({ appliedHash: 'h', appliedSettings: 's' });
    expect(statusOf(done, released, before)).toEqual(before.status);
  });

  it('remembers of which settings it is, also where the release before did not say and its own stack waits', () => {
    const before = anInfrastructure(statusOf(done, applied));
    const released = { ...applied, isReleased: true, settingsHash: 's', stack: { document: {}, hash: 'h2' } };
    expect(before.status?.appliedSettings).toBeUndefined();
    expect(statusOf(done, released, before)).toMatchObject({ appliedHash: 'h', appliedSettings: 's' });
  });

  it('remembers what an approved plan was begun for, for as long as that is asked for', () => {
    const approvedPlan = { name: 'grow', digest: 'd1' };
    const begun = { ...approvedPlan, begunAt: '2026-11-21T11:00:00Z', resources: [] };
    const approvedStack = { generation: 3, hash: 'h' };
    const held = { ...anInfrastructure(), spec: { ...aSpec('demo'), approvedPlan } };
    const status = statusOf(done, { approvedPlan: begun, approvedStack }, held);
    expect(status).toMatchObject({ approvedStack });
    expect(statusOf(done, {}, { ...held, status })).toMatchObject({ approvedStack });
    expect(statusOf(done, {}, anInfrastructure(status)).approvedStack).toBeUndefined();
  });

  it('tells why it waits', () => {
    const progress = { step: 0, steps: 0, message: 'Waiting for a Terraform slot, 3 ahead' };
    const status = statusOf({ ok: true, outcome: waiting('WaitingForCloudAccount', 1) }, { progress });

    expect(ready(status)).toMatchObject({ status: 'False', reason: 'WaitingForCloudAccount' });
    expect(status).toMatchObject({ observedGeneration: 0, progress });
  });

  it('tells a failure of Terraform with field, remedy and trace', () => {
    const status = statusOf({ ok: false, error: quota });

    expect(status.failure).toEqual({
      code: 'QuotaExceeded',
      message: 'aws_instance.demo-workers-0: VcpuLimitExceeded: You have requested more',
      field: 'spec.nodePools[0].replicas',
      remedy: 'Ask for a higher quota',
      retryable: true,
      traceId: 'trace-2',
    });
    expect(ready(status)).toMatchObject({ status: 'False', reason: 'QuotaExceeded' });
  });

  it('does not change when the same failure comes again', () => {
    const first = statusOf({ ok: false, error: quota });
    const before = anInfrastructure({ ...first, failure: { ...first.failure!, traceId: 'trace-1' } });

    expect(statusOf({ ok: false, error: quota }, {}, before).failure?.traceId).toBe('trace-1');
  });

  it('keeps a failure on show while the same work is tried again, and drops it when it succeeds', () => {
    const failed = anInfrastructure(statusOf({ ok: false, error: quota }));
    const running: Pass = { ok: true, outcome: waiting('Provisioning', 0) };

    expect(statusOf(running, {}, failed).failure?.code).toBe('QuotaExceeded');
    expect(statusOf(done, applied, failed).failure).toBeUndefined();
    const changed = { ...failed, metadata: { ...failed.metadata, generation: 4 } };
    expect(statusOf(running, {}, changed).failure).toBeUndefined();
  });

  it.each([
    { met: 'check', reached: 'check', code: 'StateLocked', reason: 'the pass may find it locked still' },
    { met: 'check', reached: 'plan', code: undefined, reason: 'nobody holds the lock any more' },
    { met: 'plan', reached: 'plan', code: 'StateLocked', reason: 'the plan may be refused again' },
    { met: 'plan', reached: 'work', code: undefined, reason: 'the plan was let through' },
    { met: 'work', reached: 'work', code: 'StateLocked', reason: 'nobody knows whether it will be met again' },
  ] as const)('of what was met at $met shows $code at $reached: $reason', ({ met, reached, code }) => {
    const cause = { code: 'StateLocked', message: 'Held by ada', retryable: true };
    const pass: Pass = { ok: true, outcome: waiting('Provisioning', 0) };
    const before = anInfrastructure(statusOf(pass, { stage: met, failure: cause }));
    const status = statusOf(pass, { stage: reached }, before);

    expect(status.failure?.code).toBe(code);
    expect(ready(status)).toMatchObject({ reason: code ?? 'Provisioning' });
    // A pass that dies here leaves the next one knowing where it was met.
    if (code) expect(status).toEqual(before.status);
  });

  it.each([
    { name: 'a bug of ours', error: invariant('secret detail'), want: { code: 'InternalError', retryable: false } },
    { name: 'an unknown error', error: new Error('secret detail'), want: { code: 'InternalError' } },
    {
      name: 'a service that is away',
      error: unavailable('The sandbox does not answer'),
      want: { code: 'Unavailable', retryable: true },
    },
  ])('tells $name without details that are nobody else’s business', ({ error, want }) => {
    const status = statusOf({ ok: false, error });

    expect(status.failure).toMatchObject(want);
    expect(JSON.stringify(status)).not.toContain('secret detail');
  });

  it('tells the verdict on the plan', () => {
    const violation = {
      policy: 'p1',
      level: 'should' as const,
      severity: 'medium' as const,
      effect: 'warn' as const,
      title: '',
      field: '',
      message: '',
      remedy: '',
      references: [],
    };
    const allowed = statusOf(done, { ...applied, review: { allowed: true, violations: [violation] } });
    expect(findCondition(allowed.conditions, 'PolicyCompliant')).toMatchObject({
      status: 'True',
      message: '1 recommendation not followed',
    });

    const broken = { allowed: false, violations: [{ ...violation, level: 'must' as const, effect: 'deny' as const }] };
    const denied = statusOf({ ok: false, error: unavailable('denied') }, { review: broken });
    expect(findCondition(denied.conditions, 'PolicyCompliant')).toMatchObject({
      status: 'False',
      message: 'Broken rules: p1',
    });
    // A pass that plans nothing has no verdict of its own.
    expect(statusOf(done, applied, anInfrastructure(allowed)).conditions).toEqual(allowed.conditions);
  });

  it('says what a deletion waits for', () => {
    const infrastructure = anInfrastructure(undefined, { deletionTimestamp: '2026-11-21T11:30:00Z' });
    const outcome = waiting('WaitingForRemoval', 1);
    const status = statusOf({ ok: true, outcome }, { blockers: [BLOCKER] }, infrastructure);

    expect(ready(status)).toMatchObject({ status: 'False', reason: 'Deleting', message: 'Waiting for aws_vpc vpc-1' });
    expect(findCondition(status.conditions, 'Deleting')).toMatchObject({ status: 'True', reason: 'DeletionRequested' });
    expect(status.deletion).toEqual({
      requestedAt: '2026-11-21T11:30:00Z',
      blockers: [{ ...BLOCKER, since: toTimestamp(context.now) }],
    });
  });

  it('gives a deletion another reason once something has been in the way for too long', () => {
    const deletion = { requestedAt: '2026-11-21T10:00:00Z', blockers: [{ ...BLOCKER, since: '2026-11-21T10:00:00Z' }] };
    const infrastructure = anInfrastructure({ deletion }, { deletionTimestamp: '2026-11-21T10:00:00Z' });
    const pass: Pass = { ok: true, outcome: waiting('WaitingForRemoval', 1) };
    const status = statusOf(pass, { blockers: [BLOCKER] }, infrastructure);
    expect(findCondition(status.conditions, 'Deleting')?.reason).toBe('DeletionBlocked');
    expect(status.deletion).toEqual(deletion);
  });

  it('counts what made a pass of a deletion fail as in its way', () => {
    const infrastructure = anInfrastructure(undefined, { deletionTimestamp: '2026-11-21T11:30:00Z' });
    const status = statusOf({ ok: false, error: unavailable('AWS does not answer') }, {}, infrastructure);
    expect(status.deletion?.blockers).toMatchObject([
      { kind: 'Infrastructure', name: 'demo', reason: 'Unavailable', message: 'AWS does not answer' },
    ]);
  });
});
