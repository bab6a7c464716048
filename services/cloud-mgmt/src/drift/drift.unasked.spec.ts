import { PAUSED_ANNOTATION, RESOLVE_DRIFT_ANNOTATION } from '@crate/api';
import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aDriftScope, DRIFT, DriftBench } from '../testing/drift-bench.js';
import { aContext } from '../testing/in-memory-cloud.js';

let bench: DriftBench;
beforeEach(() => {
  bench = new DriftBench();
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
