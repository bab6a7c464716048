import { CHECK_DRIFT_ANNOTATION, PAUSED_ANNOTATION, RESOLVE_DRIFT_ANNOTATION } from '@crate/api';
import { conflict } from '@crate/errors';
import { settled, waiting } from '@crate/reconcile';
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

describe('a stack that only the release made another one', () => {
  const released = { isReleased: true } as const;

  async function built(): Promise<void> {
    await bench.pass();
    await bench.applied();
    await bench.pass();
  }

  it('is applied once it is known that nothing differs, and what was asked for stands meanwhile', async () => {
    await built();
    const { isRun, scope } = await bench.pass(released);
    expect(bench.looks).toMatchObject([{ isReleased: true }]);
    expect(isRun).toBe(true);
    expect(scope.drift).toMatchObject({ isOnlyCorrecting: true, isOnHold: false });
  });

  it.each(['observe', 'hold'] as const)('is not applied under %s while it would put back a drift', async (policy) => {
    await built();
    bench.next = DRIFT;
    const { isRun, scope } = await bench.pass({ ...released, policy });
    expect(isRun).toBe(false);
    expect(scope).toMatchObject({ isApplied: true, drift: { isOnHold: true, isReleaseHeld: true } });
    await bench.pass({ ...released, policy });
    expect(bench.looks).toHaveLength(1);
  });

  it('is looked at anew once it was not let through, and waits for a person if that finds why', async () => {
    await built();
    const begun = aDriftScope(released);
    await bench.phase.run(begun, aContext());
    expect(begun.isApplied).toBe(false);
    bench.elapse(1_000);
    await bench.refused(1);
    bench.elapse(1_000);
    bench.looks = [];
    bench.unasked = 'replace aws_instance.a';
    const { isRun, scope } = await bench.pass(released);
    expect(bench.looks).toHaveLength(1);
    expect(isRun).toBe(false);
    expect(scope).toMatchObject({ isApplied: true, drift: { isOnHold: true, isReleaseHeld: true } });
  });

  it('is not applied for a drift that is known, and is once somebody has that put back', async () => {
    await bench.drifted();
    expect((await bench.pass(released)).isRun).toBe(false);
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: `correct-${DRIFT.digest}` };
    expect((await bench.pass({ ...released, annotations })).isRun).toBe(true);
  });

  it('is applied under correct together with what that puts back', async () => {
    await built();
    bench.next = DRIFT;
    expect((await bench.pass({ ...released, policy: 'correct' })).isRun).toBe(true);
  });

  it('is not applied under correct while the drift is held', async () => {
    await built();
    bench.next = DRIFT;
    bench.held = { code: 'ImpactAboveCeiling', message: 'It destroys a' };
    expect((await bench.pass({ ...released, policy: 'correct' })).isRun).toBe(false);
  });

  it.each(['observe', 'correct', 'hold'] as const)('waits under %s with what has an impact', async (policy) => {
    await built();
    bench.unasked = 'replace aws_vpc.vpc (replace)';
    const { isRun, scope, outcome } = await bench.pass({ ...released, policy });
    expect(isRun).toBe(false);
    expect(scope.drift).toMatchObject({ isReleaseHeld: true, record: { unasked: bench.unasked } });
    expect(outcome).toMatchObject({ reason: 'NextDriftCheck' });
    await bench.pass({ ...released, policy });
    expect(bench.looks).toHaveLength(1);
  });

  it('carries out no decision about a drift beside what has an impact', async () => {
    await bench.drifted();
    bench.unasked = 'replace aws_vpc.vpc (replace)';
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: `correct-${DRIFT.digest}` };
    expect((await bench.pass({ ...released, annotations })).isRun).toBe(false);
  });

  it('is carried out with the next change of the spec', async () => {
    await built();
    bench.unasked = 'replace aws_vpc.vpc (replace)';
    await bench.pass(released);
    expect((await bench.pass({ isApplied: false, generation: 2 })).isRun).toBe(true);
  });

  it('is looked at again when another release comes, and forgotten when that one is gone', async () => {
    await built();
    bench.unasked = 'replace aws_vpc.vpc (replace)';
    await bench.pass(released);
    bench.hash = 'other';
    bench.unasked = undefined;
    expect((await bench.pass(released)).isRun).toBe(true);
    expect((await bench.pass()).isRun).toBe(false);
  });

  it('is nothing that could fail while nobody can look, or has a slot', async () => {
    await built();
    bench.next = 'failure';
    const { isRun, scope } = await bench.pass(released);
    expect(isRun).toBe(false);
    expect(scope).toMatchObject({ isApplied: true, drift: { isOnHold: false } });
    bench.next = 'nothing';
    bench.elapse(HOUR_MS);
    const release = await bench.slots.acquire();
    expect((await bench.pass(released)).isRun).toBe(false);
    release();
    expect((await bench.pass(released)).isRun).toBe(true);
  });

  it.each([
    { name: 'the account cannot be used', change: { account: {} as never } },
    { name: 'a person holds the state', change: { isLockedByHand: true } },
  ])('waits while $name, which is no failure of the cluster', async ({ change }) => {
    await built();
    const scope = Object.assign(aDriftScope(released), change);
    expect(await bench.phase.run(scope, aContext())).toEqual(settled);
    expect(scope.isApplied).toBe(true);
  });
});

describe('a run that nobody asked for', () => {
  const due = { isRunDue: true } as const;

  async function built(policy: 'observe' | 'correct' | 'hold' = 'observe'): Promise<void> {
    await bench.pass({ policy });
    await bench.applied();
    await bench.pass({ policy });
    bench.elapse(1_000);
  }

  /** A run that was not let through a moment ago. */
  async function refused(): Promise<void> {
    await bench.refused(1);
    bench.elapse(1_000);
  }

  it.each(['observe', 'correct', 'hold'] as const)('looks at once under %s, and the cluster stays', async (policy) => {
    await built(policy);
    const { isRun, scope } = await bench.pass({ ...due, policy });
    expect([isRun, bench.looks]).toEqual([true, []]);
    expect(scope.drift).toMatchObject({ isOnlyCorrecting: true, isOnHold: false });
  });

  it('is let look beside a hold, which is no failure', async () => {
    await bench.drifted({ policy: 'hold' });
    const { isRun, scope } = await bench.pass({ ...due, policy: 'hold' });
    expect(isRun).toBe(true);
    expect([scope.failure, scope.drift?.isOnHold]).toEqual([undefined, true]);
  });

  it.each([
    { name: 'the account cannot be used', change: { account: {} as never } },
    { name: 'a person holds the state', change: { isLockedByHand: true } },
    { name: 'the cluster is paused', change: {}, annotations: { [PAUSED_ANNOTATION]: 'true' } },
  ])('waits while $name, which is no failure of the cluster', async ({ change, annotations = {} }) => {
    await built();
    const scope = Object.assign(aDriftScope({ ...due, annotations }), change);
    expect(await bench.phase.run(scope, aContext())).toEqual(settled);
    expect(scope.isApplied).toBe(true);
  });

  it('is compared once it was not let through, and runs again where nothing is in its way', async () => {
    await built();
    await refused();
    expect((await bench.pass(due)).isRun).toBe(true);
    expect(bench.looks).toMatchObject([{ isRefused: true, isReleased: false }]);
  });

  it('waits, untold, where all that it would do is put back what is to stay', async () => {
    await built();
    await refused();
    bench.next = DRIFT;
    const { isRun, scope } = await bench.pass(due);
    expect(isRun).toBe(false);
    expect(scope).toMatchObject({ isApplied: true, drift: { isOnHold: false } });
    await bench.pass(due);
    expect(bench.looks).toHaveLength(1);
  });

  it('waits, told, with what else it would do, and goes on once the drift is kept', async () => {
    await built();
    await refused();
    bench.next = DRIFT;
    bench.unasked = 'destroy aws_eip.surplus-0 (replace)';
    const { isRun, scope } = await bench.pass(due);
    expect(isRun).toBe(false);
    expect(scope.drift).toMatchObject({ isOnHold: true, record: { unasked: bench.unasked } });
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: `keep-${DRIFT.digest}` };
    expect((await bench.pass({ ...due, annotations })).isRun).toBe(true);
  });

  it('waits where it was compared under another policy, or nobody could look', async () => {
    await built();
    await refused();
    bench.next = DRIFT;
    await bench.pass(due);
    bench.next = 'failure';
    expect((await bench.pass({ ...due, policy: 'correct' })).isRun).toBe(false);
    bench.next = DRIFT;
    expect((await bench.pass({ ...due, policy: 'correct' })).isRun).toBe(true);
  });

  it('puts nothing back by itself that was not let through, before that is judged anew', async () => {
    await bench.drifted({ policy: 'correct' });
    await refused();
    const release = await bench.slots.acquire();
    expect((await bench.pass({ policy: 'correct' })).isRun).toBe(false);
    release();
    bench.held = { code: 'ImpactAboveCeiling', message: 'It destroys a' };
    const { isRun, scope } = await bench.pass({ policy: 'correct' });
    expect([isRun, scope.drift?.record.held]).toEqual([false, bench.held]);
  });

  it('looks after a machine that is stopped also where it was not let through: a comparison tells nothing of it', async () => {
    await built();
    await refused();
    expect((await bench.pass({ ...due, stoppedMachines: ['a (i-a)'] })).isRun).toBe(true);
    expect(bench.looks).toHaveLength(1);
  });

  it.each([
    { what: 'what a sweep has found since is taken over', given: { mustLook: true } },
    { what: 'a stopped machine is looked after', given: { stoppedMachines: ['a (i-a)'] } },
  ])('is told to wait, and yet $what', async ({ given }) => {
    bench.unasked = 'destroy aws_eip.surplus-0 (replace)';
    await built();
    await refused();
    await bench.pass(due);
    const { isRun, scope } = await bench.pass({ ...due, ...given });
    expect([isRun, scope.drift?.isOnHold]).toEqual([true, true]);
  });

  it('is repeated while something is half done, and compared for whoever decides once that was not let through', async () => {
    await built();
    await bench.applied('failed');
    const half = { isApplied: false, isUnasked: true } as const;
    const repeat = async (): Promise<boolean> => {
      const scope = aDriftScope(half);
      await bench.phase.run(scope, aContext());
      return !scope.isApplied;
    };
    expect([await repeat(), bench.looks]).toEqual([true, []]);
    bench.elapse(1_000);
    await refused();
    bench.next = DRIFT;
    expect([await repeat(), bench.looks.length]).toEqual([true, 1]);
    expect((await bench.records.find('u1'))?.drift).toEqual(DRIFT);
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
