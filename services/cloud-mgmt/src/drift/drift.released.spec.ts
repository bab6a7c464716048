import { RESOLVE_DRIFT_ANNOTATION } from '@crate/api';
import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aDriftScope, DRIFT, DriftBench, HOUR_MS } from '../testing/drift-bench.js';
import { aContext } from '../testing/in-memory-cloud.js';

let bench: DriftBench;
beforeEach(() => {
  bench = new DriftBench();
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
