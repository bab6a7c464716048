import { CLUSTER } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { OUTDATED, PlanBench } from '../testing/plan-bench.js';
import { approvedPlanOf, markOf } from './approved-plan.js';

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

describe('carrying a plan out that destroys the cluster', () => {
  it('takes the cluster away', async () => {
    await bench.startApproved({ destroy: true });
    await bench.passes(2);
    expect(await bench.cluster()).toBeUndefined();
    await bench.pass();
    expect(await bench.phase()).toBe('Executed');
  });

  describe('of a deletion that takes its time', () => {
    const HELD = { metadata: { finalizers: ['test/held'] } };
    const digestOf = async (name: string): Promise<string | undefined> =>
      (await bench.find(name))?.status?.basis?.digest;

    async function executing(): Promise<void> {
      await bench.startApproved({ destroy: true });
      await bench.for(CLUSTER).merge('demo', 'team-a', HELD);
      await bench.passes(2);
    }

    it('holds cloud-mgmt to what was approved before the deletion is asked for', async () => {
      await executing();
      const cluster = await bench.cluster();
      expect(cluster?.metadata.deletionTimestamp).toBeDefined();
      const approvedPlan = { name: 'grow', digest: await digestOf('grow'), destroy: true };
      expect(markOf(cluster!)).toMatchObject(approvedPlan);
      expect(approvedPlanOf(cluster!)).toEqual({});
      expect((await bench.takeAway()).spec.approvedPlan).toEqual(approvedPlan);

      const { resourceVersion } = (await bench.find())!.metadata;
      await bench.passes(2);
      expect((await bench.find())?.metadata.resourceVersion).toBe(resourceVersion);
      await bench.for(CLUSTER).merge('demo', 'team-a', { metadata: { finalizers: null } });
      await bench.pass();
      expect(await bench.phase()).toBe('Executed');
    });

    it('fails when something else would be destroyed, and another plan of what is left goes on', async () => {
      await executing();
      const before = await bench.takeAway(OUTDATED);
      await bench.pass();
      expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Failed', reason: 'WorldMoved' });
      expect(markOf((await bench.cluster())!)).toBeUndefined();
      // Nobody holds the deletion any more, but nothing is destroyed either.
      expect((await bench.takeAway(OUTDATED)).spec).toEqual(before.spec);

      bench.planner.world = 'moved';
      await bench.plan({ destroy: true }, 'again');
      await bench.pass('again');
      await bench.approve('again');
      for (let turn = 0; turn < 3; turn += 1) await bench.pass('again');
      expect(await bench.phase('again')).toBe('Executing');
      const { spec } = await bench.takeAway();
      expect(spec.approvedPlan).toEqual({ name: 'again', digest: await digestOf('again'), destroy: true });
      expect(spec.approvedPlan?.digest).not.toBe(before.spec.approvedPlan?.digest);
    });

    it('lets one plan at a time carry it out', async () => {
      await executing();
      await bench.plan({ destroy: true }, 'second');
      await bench.pass('second');
      await bench.approve('second');
      for (let turn = 0; turn < 3; turn += 1) await bench.pass('second');
      expect(markOf((await bench.cluster())!)?.name).toBe('grow');
      const ready = (await bench.find('second'))?.status?.conditions?.[0];
      expect(ready?.message).toBe('Plan "grow" carries the deletion out');
    });
  });
});
