import { CHECK_DRIFT_ANNOTATION, PAUSED_ANNOTATION, RESOLVE_DRIFT_ANNOTATION } from '@crate/api';
import { conflict } from '@crate/errors';
import { waiting } from '@crate/reconcile';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aDriftScope, DRIFT, DriftBench, HOUR_MS } from '../testing/drift-bench.js';
import { aContext, OUTPUTS, WaitingContext } from '../testing/in-memory-cloud.js';
import { exemptPhase } from './drift-exemption.js';
import { newDriftRecord } from './drift-record.js';

let bench: DriftBench;
beforeEach(() => {
  bench = new DriftBench();
});

describe('when the cloud is compared', () => {
  it('is not before there is anything to compare', async () => {
    const { scope } = await bench.pass({ isApplied: false });
    expect(bench.looks).toEqual([]);
    expect(scope.drift?.record).toMatchObject({ checkedAt: bench.now, failures: 0 });
  });

  it('counts an apply as a comparison, and writes nothing until the next is due', async () => {
    await bench.pass();
    await bench.applied();
    const { outcome } = await bench.pass();
    expect(bench.looks).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'NextDriftCheck', retryAfterMs: HOUR_MS / 2 });
    const { saves } = bench.records;
    bench.elapse(HOUR_MS / 2);
    await bench.pass();
    expect(bench.records.saves).toBe(saves);

    bench.elapse(HOUR_MS);
    await bench.pass();
    expect(bench.looks).toHaveLength(1);
    expect(bench.records.saves).toBe(saves + 1);
    await bench.pass();
    expect(bench.looks).toHaveLength(1);
    expect(bench.records.saves).toBe(saves + 1);
  });

  it('is spread over the first interval where runs are older than the comparison', async () => {
    await bench.applied();
    const { scope } = await bench.pass();
    expect(scope.drift?.record.checkedAt).toBeUndefined();
    bench.elapse(HOUR_MS);
    await bench.pass();
    expect(bench.looks).toHaveLength(1);
  });

  it('is when somebody asks, once', async () => {
    await bench.applied();
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    const { scope } = await bench.pass({ annotations });
    expect(bench.looks).toHaveLength(1);
    expect(scope.drift?.record.answered).toBe('now');
    await bench.pass({ annotations });
    expect(bench.looks).toHaveLength(1);
  });

  it('is answered by an apply that comes first', async () => {
    await bench.applied();
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    await bench.pass({ annotations, isApplied: false });
    expect(bench.looks).toEqual([]);
    expect((await bench.records.find('u1'))?.answered).toBe('now');
  });

  it('waits for a slot that nobody else needs', async () => {
    await bench.applied();
    const release = await bench.slots.acquire();
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    const { outcome } = await bench.pass({ annotations });
    expect(bench.looks).toEqual([]);
    expect(outcome).toMatchObject({ reason: 'NextDriftCheck' });
    expect((outcome as { retryAfterMs: number }).retryAfterMs).toBeLessThan(10_000);
    release();
    await bench.pass({ annotations });
    expect(bench.looks).toHaveLength(1);
    expect(bench.slots.running).toBe(0);
  });

  it('makes way for another spec, and is not answered by that', async () => {
    await bench.applied();
    bench.next = 'overtaken';
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    expect((await bench.pass({ annotations })).outcome).toMatchObject({ reason: 'Overtaken', retryAfterMs: 0 });
    expect((await bench.records.find('u1'))?.answered).toBeUndefined();
    expect(bench.slots.running).toBe(0);
  });

  it('leaves what was known when it fails, and is tried again', async () => {
    await bench.drifted();
    bench.next = 'failure';
    const { scope } = await bench.pass({ annotations: { [CHECK_DRIFT_ANNOTATION]: 'now' } });
    expect(scope.drift?.record).toMatchObject({ drift: DRIFT, failures: 1, answered: 'now' });
    expect(scope.isApplied).toBe(true);
  });

  it('stores nothing for a pass that was overtaken', async () => {
    await bench.applied();
    await bench.pass();
    const { saves } = bench.records;
    bench.next = conflict('A newer pass');
    await expect(bench.pass({ annotations: { [CHECK_DRIFT_ANNOTATION]: 'now' } })).rejects.toMatchObject({
      code: 'Conflict',
    });
    expect(bench.records.saves).toBe(saves);
    expect(bench.slots.running).toBe(0);
  });
});

describe('an Infrastructure that nobody is to compare', () => {
  const isExempt = async (): Promise<boolean | undefined> => (await bench.records.find('u1'))?.isExempt;

  it('has nothing yet, and is no such any more once it was applied', async () => {
    await bench.phase.run(aDriftScope({ isApplied: false }), aContext());
    expect(await isExempt()).toBe(true);
    await bench.pass({ isApplied: false });
    expect(await isExempt()).toBe(false);
    expect(bench.looks).toEqual([]);
  });

  it('has an apply that failed', async () => {
    await bench.applied('failed');
    await bench.phase.run(aDriftScope({ isApplied: false }), aContext());
    expect(await isExempt()).toBe(true);
  });

  it('is being changed, and no such any more once the change is taken back', async () => {
    await bench.applied();
    await bench.phase.run(aDriftScope({ isApplied: false }), aContext());
    expect(await isExempt()).toBe(true);
    await bench.pass();
    expect(await isExempt()).toBe(false);
  });

  it('has an approved plan before it', async () => {
    await bench.applied();
    await bench.phase.run(aDriftScope({ approvedPlan: { digest: 'd', approvedBy: 'amy' } as never }), aContext());
    expect(await isExempt()).toBe(true);
  });

  it('is no such while it waits for a slot', async () => {
    await bench.applied();
    const release = await bench.slots.acquire();
    bench.elapse(2 * HOUR_MS);
    await bench.pass();
    release();
    expect(bench.looks).toEqual([]);
    expect(await isExempt()).toBe(false);
  });

  it('is being deleted', async () => {
    await bench.applied();
    await bench.pass();
    const exempt = exemptPhase(bench.records);
    await exempt(aDriftScope(), aContext());
    expect(await isExempt()).toBe(true);
    const { saves } = bench.records;
    await exempt(aDriftScope(), aContext());
    expect(bench.records.saves).toBe(saves);
    await bench.records.remove('u1');
    await exempt(aDriftScope(), aContext());
    expect(await isExempt()).toBeUndefined();
  });
});

describe('what is done about a drift', () => {
  it('is nothing under observe, until the spec changes', async () => {
    await bench.drifted();
    expect((await bench.pass()).isRun).toBe(false);
    const { scope } = await bench.pass({ isApplied: false });
    expect(scope.drift?.record.drift).toBeUndefined();
    expect((await bench.records.find('u1'))?.drift).toBeUndefined();
  });

  it('is an apply under correct, once it was judged', async () => {
    await bench.drifted();
    const { isRun, scope } = await bench.pass({ policy: 'correct' });
    expect(bench.looks).toHaveLength(1);
    expect(isRun).toBe(true);
    expect(scope.drift).toMatchObject({ correction: 'policy', isOnlyCorrecting: true });
    expect(scope.drift?.record.drift).toBeUndefined();
    expect((await bench.pass({ policy: 'correct' })).isRun).toBe(false);
  });

  it('is nothing under correct where that must not be', async () => {
    await bench.drifted();
    const record = (await bench.records.find('u1'))!;
    const held = { code: 'ImpactAboveCeiling', message: 'It destroys a' };
    await bench.records.save('u1', 1n, { ...record, held, stance: 'correct any 1' });
    expect((await bench.pass({ policy: 'correct' })).isRun).toBe(false);
    // Another spec is looked at anew.
    expect((await bench.pass({ policy: 'correct', generation: 2 })).isRun).toBe(true);
  });

  it('holds a change back under hold, also one that nobody had looked before', async () => {
    await bench.pass({ policy: 'hold' });
    await bench.applied();
    bench.next = DRIFT;
    const { scope, outcome } = await bench.pass({ policy: 'hold', isApplied: false, generation: 2 });
    expect(bench.looks).toHaveLength(1);
    expect(outcome).toMatchObject({ reason: 'OnHold' });
    expect(scope.drift?.isOnHold).toBe(true);
    expect(scope.failure).toMatchObject({ code: 'OnHold', message: expect.stringContaining('aws_vpc.vpc (name)') });
    await bench.pass({ policy: 'hold', isApplied: false, generation: 2 });
    expect(bench.looks).toHaveLength(1);
  });

  it('holds a change back under hold also after the plan of another was refused', async () => {
    await bench.pass({ policy: 'hold' });
    await bench.applied();
    await bench.refused(2);
    bench.next = DRIFT;
    const { outcome } = await bench.pass({ policy: 'hold', isApplied: false, generation: 3 });
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'OnHold' });
  });

  it('holds a change back also once so many were refused that what was built is forgotten', async () => {
    await bench.pass({ policy: 'hold' });
    await bench.refused(2);
    bench.next = DRIFT;
    const scope = aDriftScope({ policy: 'hold', isApplied: false, generation: 3 });
    Object.assign(scope.infrastructure, { status: { outputs: OUTPUTS } });
    expect(await bench.phase.run(scope, aContext())).toMatchObject({ kind: 'waiting', reason: 'OnHold' });
  });

  it('has nothing to compare while nothing but refusals is known, and nothing was published', async () => {
    await bench.refused(1);
    await bench.phase.run(aDriftScope({ policy: 'hold', isApplied: false }), aContext());
    expect(bench.looks).toEqual([]);
  });

  it('goes on comparing by schedule under observe while a change is refused, but not before one', async () => {
    await bench.pass();
    await bench.applied();
    await bench.pass();
    bench.elapse(2 * HOUR_MS);
    const asked = aDriftScope({ isApplied: false, generation: 2 });
    await bench.phase.run(asked, aContext());
    expect(bench.looks).toEqual([]);
    await bench.refused(2);
    await bench.phase.run(asked, aContext());
    expect(bench.looks).toHaveLength(1);
  });

  it('lets no change through under hold for want of a slot, and has its time once it has one', async () => {
    await bench.pass({ policy: 'hold' });
    await bench.applied();
    const release = await bench.slots.acquire();
    const waits = new WaitingContext();
    const scope = aDriftScope({ policy: 'hold', isApplied: false, generation: 2 });
    bench.elapse(HOUR_MS);
    const running = bench.phase.run(scope, waits.context);
    await eventually(() => expect(bench.slots.waiting).toBe(1));
    expect(waits.isInLine).toBe(true);
    release();
    await running;
    expect([waits.isInLine, bench.looks.length]).toEqual([false, 1]);

    bench.elapse(HOUR_MS);
    bench.slots.acquireOrLeave = () => Promise.resolve(undefined);
    const { isRun, outcome } = await bench.pass({ policy: 'hold', isApplied: false, generation: 2 });
    expect([isRun, outcome]).toEqual([false, waiting('Queued', 15_000)]);
  });

  it('lets a change through under hold where nothing differs', async () => {
    await bench.pass({ policy: 'hold' });
    await bench.applied();
    expect((await bench.pass({ policy: 'hold', isApplied: false, generation: 2 })).isRun).toBe(true);
    expect(bench.looks).toHaveLength(1);
  });

  it('lets no change through under hold because nobody could look', async () => {
    await bench.pass({ policy: 'hold' });
    await bench.applied();
    bench.next = 'failure';
    const given = { policy: 'hold', isApplied: false, generation: 2 } as const;
    await expect(bench.pass(given)).rejects.toThrow('Too many');
    expect(bench.slots.running).toBe(0);
  });

  it('goes on with what an apply has begun, also under hold', async () => {
    await bench.pass({ policy: 'hold', isApplied: false });
    await bench.applied('failed');
    expect((await bench.pass({ policy: 'hold', isApplied: false })).isRun).toBe(true);
    expect(bench.looks).toEqual([]);
  });

  it('releases the hold when nothing differs any more', async () => {
    await bench.drifted();
    const given = { policy: 'hold', isApplied: false, generation: 2 } as const;
    expect((await bench.pass(given)).scope.drift?.isOnHold).toBe(true);
    bench.next = 'nothing';
    const { isRun } = await bench.pass({ ...given, annotations: { [CHECK_DRIFT_ANNOTATION]: 'now' } });
    expect(isRun).toBe(true);
  });
});

describe('an approved plan', () => {
  it('is a decision: a hold does not keep it, and nobody has to compare before it', async () => {
    await bench.drifted({ policy: 'hold' });
    const approvedPlan = { name: 'back', digest: 'd1' };
    const { isRun, scope } = await bench.pass({ policy: 'hold', isApplied: false, generation: 2, approvedPlan });
    expect(isRun).toBe(true);
    expect(scope.drift?.isOnHold).toBe(false);
    expect(bench.looks).toEqual([]);
  });
});

it('begins with a record of its own for each', async () => {
  await bench.pass();
  expect(await bench.records.find('u1')).toEqual({ ...newDriftRecord(bench.now, undefined), isExempt: true });
});

describe('an Infrastructure whose cluster is paused', () => {
  const annotations = { [PAUSED_ANNOTATION]: 'true' };

  it('is compared by schedule, and what differs is put back once the pause is over', async () => {
    await bench.drifted();
    bench.elapse(2 * HOUR_MS);
    const { scope, isRun } = await bench.pass({ policy: 'correct', annotations });
    expect(bench.looks).toHaveLength(1);
    expect([isRun, scope.isApplied, scope.drift?.record.drift]).toEqual([false, true, DRIFT]);

    expect((await bench.pass({ policy: 'correct' })).isRun).toBe(true);
  });

  it('is put back by nobody who said so before, until it goes on', async () => {
    await bench.drifted();
    const decided = { [RESOLVE_DRIFT_ANNOTATION]: `correct-${DRIFT.digest}` };
    expect((await bench.pass({ annotations: { ...annotations, ...decided } })).isRun).toBe(false);
    expect((await bench.pass({ annotations: decided })).isRun).toBe(true);
  });

  it('takes what only a release changes once the pause is over', async () => {
    await bench.pass();
    await bench.applied();
    await bench.pass();
    bench.hash = 'newer';
    const { scope, isRun } = await bench.pass({ isReleased: true, annotations });
    expect(bench.looks).toHaveLength(1);
    expect([isRun, scope.isApplied]).toEqual([false, true]);

    expect((await bench.pass({ isReleased: true })).isRun).toBe(true);
  });

  it('is compared also while a change waits for the end of the pause', async () => {
    await bench.pass();
    await bench.applied();
    await bench.pass();
    bench.elapse(2 * HOUR_MS);
    const scope = aDriftScope({ isApplied: false, annotations });
    await bench.phase.run(scope, aContext());
    expect(bench.looks).toHaveLength(1);
    expect(scope.drift?.isApplying).toBe(false);
  });

  it('of which nothing is there in full is looked at now and then only', async () => {
    await bench.applied('failed');
    const scope = aDriftScope({ isApplied: false, annotations });
    await bench.phase.run(scope, aContext());
    bench.elapse(2 * HOUR_MS);
    await bench.phase.run(scope, aContext());
    expect(await bench.note.run(scope, aContext())).toMatchObject({ retryAfterMs: HOUR_MS / 2 });
    expect(bench.looks).toEqual([]);
  });
});
