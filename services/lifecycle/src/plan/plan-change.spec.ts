import {
  CLUSTER,
  conditionFalse,
  conditionTrue,
  INFRASTRUCTURE,
  mergeConditions,
  PLAN,
  type Infrastructure,
} from '@crate/api';
import { forbidden } from '@crate/errors';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { aCluster } from '../testing/a-cluster.js';
import { DENIED, GROW, OUTDATED, PlanBench, pools, SAME } from '../testing/plan-bench.js';
import { markOf } from './approved-plan.js';

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

/** What cloud-mgmt is held to once lifecycle has passed it on. */
async function heldTo(): Promise<Infrastructure['spec']['approvedPlan']> {
  await bench.provide(OUTDATED);
  return (await bench.for(INFRASTRUCTURE).find('demo', 'team-a'))?.spec.approvedPlan;
}

/** A plan whose spec the cluster has. */
async function executing(wish: Record<string, unknown>): Promise<void> {
  await bench.plan(wish);
  await bench.pass();
  await bench.approve();
  await bench.passes(2);
}

describe('a plan that cloud-mgmt has begun when its world moves', () => {
  beforeEach(async () => {
    await bench.start();
    await executing(GROW);
    await bench.provide(OUTDATED, true);
    await bench.passes(2);
  });

  it('fails, and keeps the spec: Terraform is not to undo what is done', async () => {
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Failed', reason: 'WorldMoved' });
    expect(await bench.replicas()).toBe(4);
  });

  it('holds cloud-mgmt to what was approved, also once it is forgotten', async () => {
    const { digest } = (await bench.find())!.status!.basis!;
    expect(await heldTo()).toEqual({ name: 'grow', digest });
    await bench.for(PLAN).remove('grow', 'team-a');
    await bench.pass();
    expect(await bench.find()).toBeUndefined();
    expect(await heldTo()).toEqual({ name: 'grow', digest });
  });

  describe('and that is planned anew', () => {
    beforeEach(async () => {
      bench.planner.world = 'moved';
      await bench.plan(GROW, 'again');
      await bench.pass('again');
      await bench.approve('again');
      await bench.pass('again');
      await bench.pass('again');
    });
    const again = async (): Promise<unknown> => (await bench.find('again'))?.status?.end?.phase;

    it('goes on with what is left', async () => {
      expect((await heldTo())?.name).toBe('again');
      await bench.provide();
      await bench.pass('again');
      expect([await again(), await bench.replicas(), await heldTo()]).toEqual(['Executed', 4, undefined]);
    });

    it('stays held when the world moves once more', async () => {
      await bench.provide(OUTDATED);
      await bench.pass('again');
      expect([await again(), await bench.replicas(), (await heldTo())?.name]).toEqual(['Failed', 4, 'again']);
    });
  });

  it('lets go of the cluster once somebody changes it', async () => {
    await bench.for(CLUSTER).merge('demo', 'team-a', { spec: pools(5) });
    await bench.pass();
    expect(markOf((await bench.cluster())!)).toBeUndefined();
    expect(await heldTo()).toBeUndefined();
  });
});

describe('a plan that another one overtakes while it is carried out', () => {
  const end = async (): Promise<unknown> => (await bench.find())?.status?.end;

  it.each([
    { reason: 'with another spec', wish: { changes: pools(5) }, replicas: 5 },
    { reason: 'with the same spec', wish: { changes: pools(4) }, replicas: 4 },
  ])('has failed: the cluster was given its spec before, $reason', async ({ wish, replicas }) => {
    await bench.start();
    await executing(GROW);
    await bench.plan(wish, 'again');
    await bench.pass('again');
    await bench.approve('again');
    for (let pass = 0; pass < 2; pass += 1) await bench.pass('again');
    await bench.pass();
    expect(await end()).toMatchObject({ phase: 'Failed', reason: 'Superseded' });
    expect([await bench.replicas(), markOf((await bench.cluster())!)?.name]).toEqual([replicas, 'again']);
  });

  it.each([
    { reason: 'that it made', start: async () => undefined, wish: { wanted: aCluster().spec } },
    { reason: 'that it changed', start: () => bench.start(), wish: GROW },
    { reason: 'that it changed and that takes its time to go', start: () => bench.start(), wish: GROW, isHeld: true },
  ])('has failed when somebody deletes the cluster $reason, and does not make it again', async (row) => {
    await row.start();
    await executing(row.wish);
    const isHeld = row.isHeld === true;
    if (isHeld) await bench.for(CLUSTER).merge('demo', 'team-a', { metadata: { finalizers: ['test/held'] } });
    await bench.for(CLUSTER).remove('demo', 'team-a');
    await bench.pass();
    expect(await end()).toMatchObject({
      phase: 'Failed',
      reason: 'Superseded',
      message: expect.stringContaining('deleted'),
    });
    expect((await bench.cluster()) !== undefined).toBe(isHeld);
  });

  it('is refused where the service died just when it had given the former spec back', async () => {
    await bench.start();
    await executing(GROW);
    const underWay = (await bench.find())!;
    await bench.provide(OUTDATED);
    await bench.pass();
    await bench.for(PLAN).saveStatus((await bench.find())!, underWay.status!);
    await bench.pass();
    expect(await end()).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect(await bench.replicas()).toBe(2);
  });
});

describe('a plan whose world moves before cloud-mgmt has begun it', () => {
  const PROTECTED = { wanted: aCluster({ deletionProtection: true }).spec };

  it('takes a new cluster away that asks for protection from deletion', async () => {
    await executing(PROTECTED);
    await bench.provide(OUTDATED);
    await bench.pass();
    expect(await bench.cluster()).toBeUndefined();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
  });

  const owners = async (): Promise<unknown> =>
    ((await bench.cluster())?.metadata.managedFields ?? [])
      .filter(({ subresource }) => subresource === undefined)
      .map(({ manager, fieldsV1 }) => [manager, fieldsV1]);

  it.each([
    { whom: 'whom it belonged to', prepare: () => Promise.resolve() },
    {
      whom: 'nobody where it belonged to nobody',
      prepare: async () => {
        const stored = (await bench.cluster())!;
        const { managedFields: _before, ...metadata } = stored.metadata;
        await bench.store.update({ ...stored, metadata });
      },
    },
  ])('gives what it changed back to $whom', async ({ prepare }) => {
    await bench.start();
    await prepare();
    const before = await owners();
    await executing(GROW);
    expect(await owners()).not.toEqual(before);
    await bench.provide(OUTDATED);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect(await owners()).toEqual(before);
  });

  it('leaves it what it changed where a former release noted no owners when it began', async () => {
    const specs = async (): Promise<unknown> =>
      (await bench.cluster())?.metadata.managedFields
        ?.filter(({ manager }) => manager === 'crate-plan')
        .map(({ fieldsV1 }) => fieldsV1?.['f:spec']);
    await bench.start();
    await executing(GROW);
    const before = await specs();
    const { status, ...plan } = (await bench.find())!;
    const { previousOwners: _unknown, ...execution } = status!.execution!;
    await bench.for(PLAN).saveStatus(plan, { ...status, execution });
    await bench.provide(OUTDATED);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect(await bench.replicas()).toBe(2);
    expect(before).toEqual([expect.anything()]);
    expect(await specs()).toEqual(before);
  });

  it('gives a cluster its smaller disks back, and its number of machines, though neither is allowed to anybody', async () => {
    const [pool] = aCluster().spec.nodePools;
    const was = [{ ...pool!, replicas: 150, diskGiB: 50 }];
    await bench.start();
    // Of a release that allowed so many.
    const stored = (await bench.cluster())!;
    await bench.store.update({ ...stored, spec: { ...stored.spec, nodePools: was } });
    await executing({ changes: { nodePools: [{ ...was[0], replicas: 100, diskGiB: 100 }] } });
    await bench.provide(OUTDATED);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect((await bench.cluster())?.spec.nodePools).toMatchObject(was);
  });

  it('gives a cluster its add-ons back, though the catalogue would not let anybody have them any more', async () => {
    const was = [{ name: 'docs', values: { size: 1 } }];
    await bench.start({ addOns: [] });
    // Taken when the catalogue was another.
    const stored = (await bench.cluster())!;
    await bench.store.update({ ...stored, spec: { ...stored.spec, addOns: was } });
    await executing({ changes: { ...pools(4), addOns: [] } });
    await bench.provide(OUTDATED);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect((await bench.cluster())?.spec.addOns).toEqual(was);
  });

  it('gives a cluster its former spec back also when its account is gone', async () => {
    await bench.start();
    await executing(GROW);
    await bench.provide(OUTDATED);
    bench.accounts = [];
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect(await bench.replicas()).toBe(2);
  });

  it('leaves the protection to hold against another plan meanwhile', async () => {
    await executing(PROTECTED);
    await bench.plan({ destroy: true }, 'remove');
    await bench.pass('remove');
    expect((await bench.find('remove'))?.status?.end).toMatchObject({ phase: 'Refused', reason: 'DeletionProtected' });
  });

  it('holds cloud-mgmt to what was approved when the former spec is refused by now', async () => {
    await bench.start();
    await executing(GROW);
    const { digest } = (await bench.find())!.status!.basis!;
    await bench.provide(OUTDATED);
    bench.refusal = forbidden('a rule came meanwhile', {});
    await bench.passes(2);
    bench.refusal = undefined;
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Failed', reason: 'WorldMoved' });
    expect(await heldTo()).toEqual({ name: 'grow', digest });
  });
});

describe('a plan that policies refuse once it is carried out, such as when a waiver has ended', () => {
  const end = async (): Promise<unknown> => (await bench.find())?.status?.end;

  it('gives the cluster its former spec before cloud-mgmt has begun it', async () => {
    await bench.start();
    await executing(GROW);
    await bench.provide(DENIED);
    await bench.pass();
    expect(await end()).toMatchObject({ phase: 'Refused', reason: 'PolicyDenied' });
    expect(await bench.replicas()).toBe(2);
    expect(await heldTo()).toBeUndefined();
  });

  it('takes a new cluster away', async () => {
    await executing({ wanted: aCluster().spec });
    await bench.provide(DENIED);
    await bench.pass();
    expect(await bench.cluster()).toBeUndefined();
    expect(await end()).toMatchObject({ phase: 'Refused', reason: 'PolicyDenied' });
  });

  it('fails when some of it is done, keeps the spec, and stays held to it', async () => {
    await bench.start();
    await executing(GROW);
    await bench.provide(DENIED, true);
    await bench.passes(2);
    expect(await end()).toMatchObject({ phase: 'Failed', reason: 'PolicyDenied' });
    expect([await bench.replicas(), (await heldTo())?.name]).toEqual([4, 'grow']);
  });
});

describe('a plan of the spec that the cluster has', () => {
  const end = async (name?: string): Promise<unknown> => (await bench.find(name))?.status?.end;
  beforeEach(async () => {
    await bench.start();
    await executing(SAME);
  });

  it.each([
    { why: OUTDATED, reason: 'WorldMoved' },
    { why: DENIED, reason: 'PolicyDenied' },
  ])('lets the cluster go on as before when nothing of it is done: $reason', async ({ why, reason }) => {
    await bench.provide(why);
    await bench.passes(2);
    expect(await end()).toMatchObject({ phase: 'Refused', reason, message: expect.stringContaining('goes on') });
    expect(markOf((await bench.cluster())!)).toBeUndefined();
    expect([await bench.replicas(), await heldTo()]).toEqual([2, undefined]);
  });

  it('fails when some of it is done, and stays held to it', async () => {
    await bench.provide(OUTDATED, true);
    await bench.passes(2);
    expect(await end()).toMatchObject({ phase: 'Failed', reason: 'WorldMoved' });
    expect((await heldTo())?.name).toBe('grow');
  });

  it('stays held to it where another plan of that spec was under way', async () => {
    await bench.provide(OUTDATED, true);
    await bench.plan(SAME, 'again');
    await bench.pass('again');
    await bench.approve('again');
    for (let pass = 0; pass < 2; pass += 1) await bench.pass('again');
    await bench.provide(OUTDATED);
    await bench.pass('again');
    expect(await end('again')).toMatchObject({ phase: 'Failed', reason: 'WorldMoved' });
    expect((await heldTo())?.name).toBe('again');
  });

  it('says what the cluster waits for', async () => {
    const waitsFor = async (): Promise<unknown> =>
      (await bench.find())?.status?.conditions?.find(({ type }) => type === 'Executed')?.message;
    await bench.pass();
    expect(await waitsFor()).toBe('What is not as it should be is put back');
    const cluster = (await bench.cluster())!;
    const failed = conditionFalse('Ready', 'InfrastructureFailed', 'No capacity in a zone');
    const conditions = mergeConditions([], [failed], { generation: cluster.metadata.generation, now: bench.now });
    await bench.for(CLUSTER).saveStatus(cluster, { conditions });
    await bench.pass();
    expect(await waitsFor()).toBe('No capacity in a zone');
  });
});

it('a plan that is carried out keeps cloud-mgmt held to it when a deletion that was planned over it is refused', async () => {
  await bench.start();
  await executing(GROW);
  await bench.plan({ destroy: true }, 'remove');
  await bench.pass('remove');
  await bench.approve('remove');
  await bench.pass('remove');
  jest.spyOn(bench.api, 'remove').mockRejectedValue(forbidden('a rule came meanwhile', {}));
  await bench.pass('remove');
  expect((await bench.find('remove'))?.status?.end).toMatchObject({ phase: 'Refused' });
  expect((await heldTo())?.name).toBe('grow');
});

describe('a plan and a cluster that is paused', () => {
  it('is refused where it would not be carried out before somebody lets the cluster go on', async () => {
    await bench.start({ paused: true });
    await bench.plan(GROW);
    await bench.pass();
    const { end, failure } = (await bench.find())!.status!;
    expect([end?.phase, end?.reason, failure?.field]).toEqual(['Refused', 'Paused', 'spec.paused']);
  });

  it('is refused where the cluster is new', async () => {
    await bench.plan({ wanted: aCluster({ paused: true }).spec });
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'Paused' });
  });

  it('lets it go on with a change', async () => {
    await bench.start({ paused: true });
    await executing({ changes: { paused: false, ...pools(4) } });
    await bench.provide();
    await bench.pass();
    expect((await bench.find())?.status?.end?.phase).toBe('Executed');
  });

  it('is carried out once the cluster is paused, where it does no more', async () => {
    await bench.start();
    await executing({ changes: { paused: true } });
    expect((await bench.find())?.status?.end).toBeUndefined();
    await paused();
    await bench.pass();
    expect((await bench.find())?.status?.end?.phase).toBe('Executed');
    expect(markOf((await bench.cluster())!)).toBeUndefined();
  });
});

/** What lifecycle makes of a cluster that is paused. */
async function paused(): Promise<void> {
  const cluster = (await bench.cluster())!;
  const conditions = mergeConditions(cluster.status?.conditions, [conditionTrue('Paused', 'Paused')], {
    generation: cluster.metadata.generation,
    now: bench.now,
  });
  await bench.for(CLUSTER).saveStatus(cluster, { ...cluster.status, conditions });
}
