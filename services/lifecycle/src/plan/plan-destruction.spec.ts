import { CLUSTER, type Plan } from '@crate/api';
import { TypedClient, type CallContext, type ResourceApi } from '@crate/resource-client';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { as, OUTDATED, PlanBench } from '../testing/plan-bench.js';
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

describe('a plan to destroy a protected cluster that a second person lets go', () => {
  const KEY = 'system:apikey:team-a:ci';
  const refused = { code: 'Forbidden', details: { reason: 'DeletionProtected' } };
  const end = async (): Promise<NonNullable<Plan['status']>['end']> => (await bench.find())?.status?.end;

  async function planned(planner: string): Promise<void> {
    await bench.start({ deletionProtection: true });
    const annotations = { 'lifecycle.crate.dev/approve-deletion': 'otto' };
    await new TypedClient(bench.api, CLUSTER, as('otto')).merge('demo', 'team-a', { metadata: { annotations } });
    await bench.plan({ destroy: true }, 'grow', planner);
    await bench.pass();
  }

  it.each([
    { planner: 'ada', approver: 'ada', reason: 'otto and ada let it go' },
    { planner: 'otto', approver: 'ada', reason: 'who planned does not matter' },
    { planner: KEY, approver: 'ada', reason: 'a key may plan' },
  ])('is carried out when $planner planned and $approver approves: $reason', async ({ planner, approver }) => {
    await planned(planner);
    expect(await bench.phase()).toBe('Ready');
    await bench.approve('grow', approver);
    await bench.passes(3);
    expect([await bench.phase(), await bench.cluster()]).toEqual(['Executed', undefined]);
  });

  it.each([
    { approver: 'otto', reason: 'nobody is two people' },
    { approver: KEY, reason: 'otto may hold the key' },
  ])('cannot be approved by $approver: $reason', async ({ approver }) => {
    await planned('ada');
    await expect(bench.approve('grow', approver)).rejects.toMatchObject(refused);
    await bench.pass();
    expect(await bench.phase()).toBe('Ready');
  });

  it.each([
    { when: 'before it begins', passes: 0 },
    { when: 'before the cluster is deleted', passes: 1 },
  ])('is not carried out when the consent grows too old $when', async ({ passes }) => {
    await planned('ada');
    await bench.approve();
    await bench.passes(passes);
    bench.now = new Date(bench.now.getTime() + 60 * 60_000);
    await bench.pass();
    expect((await end())?.message).toContain('The approval of otto is too old');
    expect((await bench.cluster())?.metadata.deletionTimestamp).toBeUndefined();
  });
});

it('is on record as decided by whoever approved the plan, and not before', async () => {
  const removals: CallContext[] = [];
  bench = new PlanBench((api) =>
    Object.assign(Object.create(api) as ResourceApi, {
      remove: (...call: Parameters<ResourceApi['remove']>) => {
        removals.push(call[2]);
        return api.remove(...call);
      },
    }),
  );
  await bench.start();
  await bench.plan({ destroy: true }, 'grow', 'ada');
  await bench.pass();
  await bench.approve('grow', 'otto');
  await bench.passes(3);
  const ofService = removals.filter(({ caller }) => caller.service !== undefined);
  expect(ofService.map(({ decidedBy }) => decidedBy)).toEqual([undefined, 'otto', 'otto', 'otto']);
});
