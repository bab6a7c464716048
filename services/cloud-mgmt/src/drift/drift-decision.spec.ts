import { RESOLVE_DRIFT_ANNOTATION, type DriftStatus } from '@crate/api';
import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { aDriftScope, DRIFT, DriftBench } from '../testing/drift-bench.js';
import { aContext } from '../testing/in-memory-cloud.js';

let bench: DriftBench;
beforeEach(() => {
  bench = new DriftBench();
});

describe('what somebody decides', () => {
  const correct = { [RESOLVE_DRIFT_ANNOTATION]: `correct-${DRIFT.digest}` };
  const keep = { [RESOLVE_DRIFT_ANNOTATION]: `keep-${DRIFT.digest}` };

  it.each(['observe', 'correct', 'hold'] as const)('puts everything back under %s, once', async (policy) => {
    await bench.drifted();
    const { isRun, scope } = await bench.pass({ policy, annotations: correct });
    expect(isRun).toBe(true);
    expect(scope.drift).toMatchObject({ correction: 'decided', isOnHold: false });
    expect(await bench.records.find('u1')).toMatchObject({
      drift: undefined,
      resolved: correct[RESOLVE_DRIFT_ANNOTATION],
    });
    expect((await bench.pass({ policy, annotations: correct })).isRun).toBe(false);
  });

  it('puts everything back after a pass that died before it had', async () => {
    await bench.drifted();
    await bench.phase.run(aDriftScope({ annotations: correct }), aContext());
    const { isRun } = await bench.pass({ annotations: correct });
    expect(isRun).toBe(true);
    expect((await bench.records.find('u1'))?.drift).toBeUndefined();
  });

  it('is done when a pass died right after it had put everything back', async () => {
    await bench.drifted();
    await bench.phase.run(aDriftScope({ annotations: correct }), aContext());
    await bench.applied();
    const { isRun, scope } = await bench.pass({ annotations: correct });
    expect(isRun).toBe(false);
    expect(scope.drift?.record.drift).toBeUndefined();
  });

  it('leaves what differs alone, in every run from then on, until it is put back', async () => {
    await bench.drifted();
    const { scope, isRun } = await bench.pass({ policy: 'hold', annotations: keep });
    expect(isRun).toBe(false);
    expect(scope.drift).toMatchObject({ isOnHold: false, hasKept: true });
    bench.next = 'nothing';
    const vpc = (each: InfrastructureScope): unknown => each.stack?.document['resource'];
    expect(vpc(scope)).toEqual({ aws_vpc: { vpc: { lifecycle: { ignore_changes: ['name'] } } } });

    const changed = await bench.pass({ policy: 'hold', annotations: keep, isApplied: false, generation: 2 });
    expect(changed.isRun).toBe(true);
    expect(vpc(changed.scope)).toEqual({ aws_vpc: { vpc: { lifecycle: { ignore_changes: ['name'] } } } });

    const { digest } = (await bench.records.find('u1'))!.drift!;
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: `correct-${digest}` };
    const back = await bench.pass({ policy: 'hold', annotations, generation: 2 });
    expect(back.isRun).toBe(true);
    expect(vpc(back.scope)).toEqual({ aws_vpc: { vpc: {} } });
    expect((await bench.records.find('u1'))?.drift).toBeUndefined();
  });

  it.each([
    { name: 'resources', hidden: { ...DRIFT, omitted: 3 } },
    { name: 'attributes', hidden: { ...DRIFT, resources: [{ ...DRIFT.resources[0]!, omittedAttributes: 2 }] } },
  ])('keeps what was shown alone: $name for which there was no room are looked for at once', async ({ hidden }) => {
    await bench.drifted({}, hidden);
    const before = bench.looks.length;
    const rest: DriftStatus = {
      ...DRIFT,
      digest: 'ba9876543210',
      resources: [{ ...DRIFT.resources[0]!, address: 'aws_vpc.b' }],
    };
    bench.next = rest;
    // A change that waits must not put back what nobody has seen.
    const { scope, isRun } = await bench.pass({ policy: 'hold', annotations: keep, isApplied: false, generation: 2 });
    expect(bench.looks.slice(before).map(({ record }) => record.drift?.kept)).toEqual([
      [{ address: 'aws_vpc.vpc', path: 'name' }],
    ]);
    expect(isRun).toBe(false);
    expect(scope.drift).toMatchObject({ isOnHold: true, record: { drift: rest } });
    expect(scope.progress?.message).toContain('On hold');
  });

  it('that keeps a part shows the rest at the next comparison, which is due', async () => {
    await bench.drifted({}, { ...DRIFT, omitted: 3 });
    const release = await bench.slots.acquire();
    const waiting = await bench.pass({ annotations: keep });
    expect(waiting.scope.drift?.record).toMatchObject({ drift: { resources: [], omitted: 3 } });
    release();
    bench.next = 'nothing';
    const before = bench.looks.length;
    await bench.pass({ annotations: keep });
    expect(bench.looks).toHaveLength(before + 1);
    expect((await bench.records.find('u1'))?.drift).toMatchObject({ resources: [], omitted: 0 });
  });

  it('counts for nothing when it was said about another drift', async () => {
    await bench.drifted();
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: 'correct-ba9876543210' };
    const { isRun, outcome } = await bench.pass({ policy: 'hold', annotations });
    expect(isRun).toBe(false);
    expect(outcome).not.toEqual(settled);
    expect((await bench.records.find('u1'))?.drift).toEqual(DRIFT);
  });
});
