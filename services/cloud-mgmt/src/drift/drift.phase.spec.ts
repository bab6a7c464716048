import { randomUUID } from 'node:crypto';
import {
  CHECK_DRIFT_ANNOTATION,
  RESOLVE_DRIFT_ANNOTATION,
  type DriftPolicy,
  type DriftStatus,
  type Infrastructure,
} from '@crate/api';
import { conflict } from '@crate/errors';
import { settled, type Outcome } from '@crate/reconcile';
import { TerraformSlots } from '@crate/terraform';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { aSpec } from '../testing/a-spec.js';
import { aContext, OUTPUTS } from '../testing/in-memory-cloud.js';
import { InMemoryTerraformRunRepository } from '../terraform-run/in-memory-terraform-run.repository.js';
import type { DriftLookSubject } from './drift-look.js';
import { newDriftRecord, withFailure, withFound, type DriftRecord } from './drift-record.js';
import { putBack } from './found-drift-status.js';
import { DriftSettledPhase } from './drift-settled.phase.js';
import { DriftPhase } from './drift.phase.js';
import { InMemoryDriftRecordRepository } from './in-memory-drift-record.repository.js';

const HOUR_MS = 3_600_000;
const DIGEST = '0123456789ab';
const DRIFT: DriftStatus = {
  since: '2026-11-21T12:00:00Z',
  digest: DIGEST,
  resources: [
    { address: 'aws_vpc.vpc', type: 'aws_vpc', kind: 'changed', attributes: [{ path: 'name', wanted: 1, found: 2 }] },
  ],
  omitted: 0,
};

let now: Date;
let runs: InMemoryTerraformRunRepository;
let records: InMemoryDriftRecordRepository;
let slots: TerraformSlots;
/** What the next look finds: a drift, nothing, a failure, or that it was overtaken. */
let next: DriftStatus | 'nothing' | 'failure' | 'overtaken' | Error;
let looks: DriftLookSubject[];
let phase: DriftPhase;
let note: DriftSettledPhase;

beforeEach(() => {
  now = new Date('2026-11-21T12:00:00Z');
  runs = new InMemoryTerraformRunRepository(() => now);
  records = new InMemoryDriftRecordRepository();
  slots = new TerraformSlots(1);
  next = 'nothing';
  looks = [];
  const look = { look: (subject: DriftLookSubject) => Promise.resolve().then(() => found(subject)) };
  phase = new DriftPhase({ records, runs, slots, look, now: () => now });
  note = new DriftSettledPhase({ records, runs, now: () => now });
});

function found(subject: DriftLookSubject): DriftRecord | undefined {
  looks.push(subject);
  const { record, stance } = subject;
  if (next instanceof Error) throw next;
  if (next === 'overtaken') return undefined;
  if (next === 'failure') return withFailure(record, { code: 'Throttled', message: 'Too many' }, now);
  // What is kept is left alone, and so is not found.
  const drift = next === 'nothing' ? putBack(record.drift, now) : next;
  return withFound(record, { drift, held: undefined, runId: record.runId, stance }, now);
}

interface Given {
  readonly policy?: DriftPolicy;
  readonly isApplied?: boolean;
  readonly annotations?: Record<string, string>;
  readonly generation?: number;
  readonly approvedPlan?: Infrastructure['spec']['approvedPlan'];
}

function aScope({
  policy = 'observe',
  isApplied = true,
  annotations = {},
  generation = 1,
  approvedPlan,
}: Given = {}): InfrastructureScope {
  const infrastructure = {
    metadata: { name: 'demo', namespace: 'team-a', uid: 'u1', generation, annotations },
    spec: aSpec('demo', { drift: { policy, everyMinutes: 60 }, ...(approvedPlan ? { approvedPlan } : {}) }),
  } as unknown as Infrastructure;
  const scope = openScope(infrastructure);
  scope.account = {} as never;
  scope.stack = { document: { resource: { aws_vpc: { vpc: {} } } }, hash: 'h' };
  scope.stateSerial = 3;
  scope.isApplied = isApplied;
  return scope;
}

async function applied(state: 'succeeded' | 'failed' = 'succeeded'): Promise<void> {
  const id = randomUUID();
  await runs.open({ id, infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation: 1 });
  await runs.saveBegun(id);
  await runs.close(id, state);
}

/** A run whose plan was not let through. */
async function refused(generation: number): Promise<void> {
  const id = randomUUID();
  await runs.open({ id, infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation });
  await runs.close(id, 'failed');
}

/** An Infrastructure that was built, and drifted by now. */
async function drifted(given: Given = {}, drift = DRIFT): Promise<void> {
  await pass(given);
  await applied();
  await pass(given);
  now = new Date(now.getTime() + 2 * HOUR_MS);
  next = drift;
  await pass({ ...given, policy: 'observe' });
  looks = [];
}

/** Both phases, with an apply between them where one is due. */
async function pass(given: Given = {}): Promise<{ scope: InfrastructureScope; outcome: Outcome; isRun: boolean }> {
  const scope = aScope(given);
  const outcome = await phase.run(scope, aContext());
  if (outcome.kind === 'waiting') return { scope, outcome, isRun: false };
  const isRun = !scope.isApplied;
  if (isRun) {
    await applied();
    scope.isApplied = true;
  }
  return { scope, outcome: await note.run(scope, aContext()), isRun };
}

describe('when the cloud is compared', () => {
  it('is not before there is anything to compare', async () => {
    const { scope } = await pass({ isApplied: false });
    expect(looks).toEqual([]);
    expect(scope.drift?.record).toMatchObject({ checkedAt: now, failures: 0 });
  });

  it('counts an apply as a comparison, and writes nothing until the next is due', async () => {
    await pass();
    await applied();
    const { outcome } = await pass();
    expect(looks).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'NextDriftCheck', retryAfterMs: HOUR_MS / 2 });
    const { saves } = records;
    now = new Date(now.getTime() + HOUR_MS / 2);
    await pass();
    expect(records.saves).toBe(saves);

    now = new Date(now.getTime() + HOUR_MS);
    await pass();
    expect(looks).toHaveLength(1);
    expect(records.saves).toBe(saves + 1);
    await pass();
    expect(looks).toHaveLength(1);
    expect(records.saves).toBe(saves + 1);
  });

  it('is spread over the first interval where runs are older than the comparison', async () => {
    await applied();
    const { scope } = await pass();
    expect(scope.drift?.record.checkedAt).toBeUndefined();
    now = new Date(now.getTime() + HOUR_MS);
    await pass();
    expect(looks).toHaveLength(1);
  });

  it('is when somebody asks, once', async () => {
    await applied();
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    const { scope } = await pass({ annotations });
    expect(looks).toHaveLength(1);
    expect(scope.drift?.record.answered).toBe('now');
    await pass({ annotations });
    expect(looks).toHaveLength(1);
  });

  it('is answered by an apply that comes first', async () => {
    await applied();
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    await pass({ annotations, isApplied: false });
    expect(looks).toEqual([]);
    expect((await records.find('u1'))?.answered).toBe('now');
  });

  it('waits for a slot that nobody else needs', async () => {
    await applied();
    const release = await slots.acquire();
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    const { outcome } = await pass({ annotations });
    expect(looks).toEqual([]);
    expect(outcome).toMatchObject({ reason: 'NextDriftCheck' });
    expect((outcome as { retryAfterMs: number }).retryAfterMs).toBeLessThan(10_000);
    release();
    await pass({ annotations });
    expect(looks).toHaveLength(1);
    expect(slots.running).toBe(0);
  });

  it('makes way for another spec, and is not answered by that', async () => {
    await applied();
    next = 'overtaken';
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    expect((await pass({ annotations })).outcome).toMatchObject({ reason: 'Overtaken', retryAfterMs: 0 });
    expect((await records.find('u1'))?.answered).toBeUndefined();
    expect(slots.running).toBe(0);
  });

  it('leaves what was known when it fails, and is tried again', async () => {
    await drifted();
    next = 'failure';
    const { scope } = await pass({ annotations: { [CHECK_DRIFT_ANNOTATION]: 'now' } });
    expect(scope.drift?.record).toMatchObject({ drift: DRIFT, failures: 1, answered: 'now' });
    expect(scope.isApplied).toBe(true);
  });

  it('stores nothing for a pass that was overtaken', async () => {
    await applied();
    await pass();
    const { saves } = records;
    next = conflict('A newer pass');
    await expect(pass({ annotations: { [CHECK_DRIFT_ANNOTATION]: 'now' } })).rejects.toMatchObject({
      code: 'Conflict',
    });
    expect(records.saves).toBe(saves);
    expect(slots.running).toBe(0);
  });
});

describe('what is done about a drift', () => {
  it('is nothing under observe, until the spec changes', async () => {
    await drifted();
    expect((await pass()).isRun).toBe(false);
    const { scope } = await pass({ isApplied: false });
    expect(scope.drift?.record.drift).toBeUndefined();
    expect((await records.find('u1'))?.drift).toBeUndefined();
  });

  it('is an apply under correct, once it was judged', async () => {
    await drifted();
    const { isRun, scope } = await pass({ policy: 'correct' });
    expect(looks).toHaveLength(1);
    expect(isRun).toBe(true);
    expect(scope.drift).toMatchObject({ correction: 'policy', isOnlyCorrecting: true });
    expect(scope.drift?.record.drift).toBeUndefined();
    expect((await pass({ policy: 'correct' })).isRun).toBe(false);
  });

  it('is nothing under correct where that must not be', async () => {
    await drifted();
    const record = (await records.find('u1'))!;
    const held = { code: 'ImpactAboveCeiling', message: 'It destroys a' };
    await records.save('u1', 1n, { ...record, held, stance: 'correct any 1' });
    expect((await pass({ policy: 'correct' })).isRun).toBe(false);
    // Another spec is looked at anew.
    expect((await pass({ policy: 'correct', generation: 2 })).isRun).toBe(true);
  });

  it('holds a change back under hold, also one that nobody had looked before', async () => {
    await pass({ policy: 'hold' });
    await applied();
    next = DRIFT;
    const { scope, outcome } = await pass({ policy: 'hold', isApplied: false, generation: 2 });
    expect(looks).toHaveLength(1);
    expect(outcome).toMatchObject({ reason: 'OnHold' });
    expect(scope.drift?.isOnHold).toBe(true);
    expect(scope.failure).toMatchObject({ code: 'OnHold', message: expect.stringContaining('aws_vpc.vpc (name)') });
    await pass({ policy: 'hold', isApplied: false, generation: 2 });
    expect(looks).toHaveLength(1);
  });

  it('holds a change back under hold also after the plan of another was refused', async () => {
    await pass({ policy: 'hold' });
    await applied();
    await refused(2);
    next = DRIFT;
    const { outcome } = await pass({ policy: 'hold', isApplied: false, generation: 3 });
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'OnHold' });
  });

  it('holds a change back also once so many were refused that what was built is forgotten', async () => {
    await pass({ policy: 'hold' });
    await refused(2);
    next = DRIFT;
    const scope = aScope({ policy: 'hold', isApplied: false, generation: 3 });
    Object.assign(scope.infrastructure, { status: { outputs: OUTPUTS } });
    expect(await phase.run(scope, aContext())).toMatchObject({ kind: 'waiting', reason: 'OnHold' });
  });

  it('has nothing to compare while nothing but refusals is known, and nothing was published', async () => {
    await refused(1);
    await phase.run(aScope({ policy: 'hold', isApplied: false }), aContext());
    expect(looks).toEqual([]);
  });

  it('goes on comparing by schedule under observe while a change is refused, but not before one', async () => {
    await pass();
    await applied();
    await pass();
    now = new Date(now.getTime() + 2 * HOUR_MS);
    const asked = aScope({ isApplied: false, generation: 2 });
    await phase.run(asked, aContext());
    expect(looks).toEqual([]);
    await refused(2);
    await phase.run(asked, aContext());
    expect(looks).toHaveLength(1);
  });

  it('lets a change through under hold where nothing differs', async () => {
    await pass({ policy: 'hold' });
    await applied();
    expect((await pass({ policy: 'hold', isApplied: false, generation: 2 })).isRun).toBe(true);
    expect(looks).toHaveLength(1);
  });

  it('lets no change through under hold because nobody could look', async () => {
    await pass({ policy: 'hold' });
    await applied();
    next = 'failure';
    const given = { policy: 'hold', isApplied: false, generation: 2 } as const;
    await expect(pass(given)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(slots.running).toBe(0);
  });

  it('goes on with what an apply has begun, also under hold', async () => {
    await pass({ policy: 'hold', isApplied: false });
    await applied('failed');
    expect((await pass({ policy: 'hold', isApplied: false })).isRun).toBe(true);
    expect(looks).toEqual([]);
  });

  it('releases the hold when nothing differs any more', async () => {
    await drifted();
    const given = { policy: 'hold', isApplied: false, generation: 2 } as const;
    expect((await pass(given)).scope.drift?.isOnHold).toBe(true);
    next = 'nothing';
    const { isRun } = await pass({ ...given, annotations: { [CHECK_DRIFT_ANNOTATION]: 'now' } });
    expect(isRun).toBe(true);
  });
});

describe('an approved plan', () => {
  it('is a decision: a hold does not keep it, and nobody has to compare before it', async () => {
    await drifted({ policy: 'hold' });
    const approvedPlan = { name: 'back', digest: 'd1' };
    const { isRun, scope } = await pass({ policy: 'hold', isApplied: false, generation: 2, approvedPlan });
    expect(isRun).toBe(true);
    expect(scope.drift?.isOnHold).toBe(false);
    expect(looks).toEqual([]);
  });
});

describe('what somebody decides', () => {
  const correct = { [RESOLVE_DRIFT_ANNOTATION]: `correct-${DIGEST}` };
  const keep = { [RESOLVE_DRIFT_ANNOTATION]: `keep-${DIGEST}` };

  it.each(['observe', 'correct', 'hold'] as const)('puts everything back under %s, once', async (policy) => {
    await drifted();
    const { isRun, scope } = await pass({ policy, annotations: correct });
    expect(isRun).toBe(true);
    expect(scope.drift).toMatchObject({ correction: 'decided', isOnHold: false });
    expect(await records.find('u1')).toMatchObject({ drift: undefined, resolved: correct[RESOLVE_DRIFT_ANNOTATION] });
    expect((await pass({ policy, annotations: correct })).isRun).toBe(false);
  });

  it('puts everything back after a pass that died before it had', async () => {
    await drifted();
    await phase.run(aScope({ annotations: correct }), aContext());
    const { isRun } = await pass({ annotations: correct });
    expect(isRun).toBe(true);
    expect((await records.find('u1'))?.drift).toBeUndefined();
  });

  it('is done when a pass died right after it had put everything back', async () => {
    await drifted();
    await phase.run(aScope({ annotations: correct }), aContext());
    await applied();
    const { isRun, scope } = await pass({ annotations: correct });
    expect(isRun).toBe(false);
    expect(scope.drift?.record.drift).toBeUndefined();
  });

  it('leaves what differs alone, in every run from then on, until it is put back', async () => {
    await drifted();
    const { scope, isRun } = await pass({ policy: 'hold', annotations: keep });
    expect(isRun).toBe(false);
    expect(scope.drift).toMatchObject({ isOnHold: false, hasKept: true });
    next = 'nothing';
    const vpc = (each: InfrastructureScope): unknown => each.stack?.document['resource'];
    expect(vpc(scope)).toEqual({ aws_vpc: { vpc: { lifecycle: { ignore_changes: ['name'] } } } });

    const changed = await pass({ policy: 'hold', annotations: keep, isApplied: false, generation: 2 });
    expect(changed.isRun).toBe(true);
    expect(vpc(changed.scope)).toEqual({ aws_vpc: { vpc: { lifecycle: { ignore_changes: ['name'] } } } });

    const { digest } = (await records.find('u1'))!.drift!;
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: `correct-${digest}` };
    const back = await pass({ policy: 'hold', annotations, generation: 2 });
    expect(back.isRun).toBe(true);
    expect(vpc(back.scope)).toEqual({ aws_vpc: { vpc: {} } });
    expect((await records.find('u1'))?.drift).toBeUndefined();
  });

  it.each([
    { name: 'resources', hidden: { ...DRIFT, omitted: 3 } },
    { name: 'attributes', hidden: { ...DRIFT, resources: [{ ...DRIFT.resources[0]!, omittedAttributes: 2 }] } },
  ])('keeps what was shown alone: $name for which there was no room are looked for at once', async ({ hidden }) => {
    await drifted({}, hidden);
    const before = looks.length;
    const rest: DriftStatus = {
      ...DRIFT,
      digest: 'ba9876543210',
      resources: [{ ...DRIFT.resources[0]!, address: 'aws_vpc.b' }],
    };
    next = rest;
    // A change that waits must not put back what nobody has seen.
    const { scope, isRun } = await pass({ policy: 'hold', annotations: keep, isApplied: false, generation: 2 });
    expect(looks.slice(before).map(({ record }) => record.drift?.kept)).toEqual([
      [{ address: 'aws_vpc.vpc', path: 'name' }],
    ]);
    expect(isRun).toBe(false);
    expect(scope.drift).toMatchObject({ isOnHold: true, record: { drift: rest } });
    expect(scope.progress?.message).toContain('On hold');
  });

  it('that keeps a part shows the rest at the next comparison, which is due', async () => {
    await drifted({}, { ...DRIFT, omitted: 3 });
    const release = await slots.acquire();
    const waiting = await pass({ annotations: keep });
    expect(waiting.scope.drift?.record).toMatchObject({ drift: { resources: [], omitted: 3 } });
    release();
    next = 'nothing';
    const before = looks.length;
    await pass({ annotations: keep });
    expect(looks).toHaveLength(before + 1);
    expect((await records.find('u1'))?.drift).toMatchObject({ resources: [], omitted: 0 });
  });

  it('counts for nothing when it was said about another drift', async () => {
    await drifted();
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: 'correct-ba9876543210' };
    const { isRun, outcome } = await pass({ policy: 'hold', annotations });
    expect(isRun).toBe(false);
    expect(outcome).not.toEqual(settled);
    expect((await records.find('u1'))?.drift).toEqual(DRIFT);
  });
});

it('begins with a record of its own for each', async () => {
  await pass();
  expect(await records.find('u1')).toEqual(newDriftRecord(now, undefined));
});
