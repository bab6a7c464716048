import { PLAN, PROJECT } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aCluster } from '../testing/a-cluster.js';
import { GROW, PlanBench, pools, SHRINK } from '../testing/plan-bench.js';

const KEY = 'system:apikey:team-a:ci';

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

describe('approving', () => {
  it('waits until there is something to approve', async () => {
    await bench.start();
    await bench.plan(GROW);
    await expect(bench.approve()).rejects.toMatchObject({ code: 'Conflict', details: { reason: 'PlanNotReady' } });
  });

  it('is recorded once, and by the server alone', async () => {
    await bench.start();
    const made = await bench.plan(GROW);
    await bench.pass();
    const forged = { 'lifecycle.crate.dev/approved-by': 'now eve', 'lifecycle.crate.dev/planned-by': 'eve' };
    await bench.for(PLAN).merge('grow', 'team-a', { metadata: { annotations: forged } });
    expect(await bench.find()).toMatchObject({
      metadata: { annotations: { 'lifecycle.crate.dev/planned-by': 'ada' } },
      status: { plannedBy: 'ada' },
    });
    expect((await bench.find())?.metadata.annotations).not.toHaveProperty('lifecycle.crate.dev/approved-by');

    const approved = await bench.approve();
    expect(approved.status?.approval?.by).toBe('ada');
    expect((await bench.approve('grow', 'bob')).metadata.uid).toBe(made.metadata.uid);
    await bench.pass();
    expect((await bench.find())?.status?.approval?.by).toBe('ada');
  });

  it('is of the plan that was read, and of none that took its place', async () => {
    await bench.start();
    const { uid } = (await bench.plan(GROW)).metadata;
    await bench.for(PLAN).remove('grow', 'team-a');
    const other = await bench.plan(SHRINK);
    await bench.pass();
    await expect(bench.approve('grow', 'bob', { uid })).rejects.toMatchObject({
      code: 'Conflict',
      details: { reason: 'AnotherPlan' },
    });
    await expect(bench.approve('grow', 'bob', { uuid: uid })).rejects.toMatchObject({ code: 'InvalidSpec' });
    const { status } = await bench.approve('grow', 'bob', { uid: other.metadata.uid });
    expect(status?.approval?.by).toBe('bob');
  });

  it('needs another person where the Project asks for one', async () => {
    await bench.start();
    await bench.for(PROJECT).create({ metadata: { name: 'team-a' }, spec: { planApproval: 'AnotherPerson' } });
    await bench.plan(GROW);
    await bench.pass();
    await expect(bench.approve()).rejects.toMatchObject({ details: { reason: 'SecondPersonNeeded' } });
    expect((await bench.approve('grow', 'bob')).status?.approval?.by).toBe('bob');
  });

  it.each([
    { name: 'a key approves what a person planned', planner: 'ada', approver: KEY },
    { name: 'a person approves what a key planned', planner: KEY, approver: 'ada' },
  ])('has no second person when $name', async ({ planner, approver }) => {
    await bench.start();
    await bench.for(PROJECT).create({ metadata: { name: 'team-a' }, spec: { planApproval: 'AnotherPerson' } });
    await bench.plan(GROW, 'grow', planner);
    await bench.pass();
    await expect(bench.approve('grow', approver)).rejects.toMatchObject({
      code: 'Forbidden',
      details: { reason: 'SecondPersonNeeded' },
    });
  });

  it('may be by a key where the Project asks for nobody else', async () => {
    await bench.start();
    await bench.plan(GROW);
    await bench.pass();
    expect((await bench.approve('grow', KEY)).status?.approval?.by).toBe(KEY);
  });

  describe('takes the right to make the change, at the door that a key has to pass,', () => {
    it.each([
      { what: 'to delete', wish: { destroy: true }, verb: 'delete' },
      { what: 'to change', wish: GROW, verb: 'patch' },
      { what: 'to replace', wish: { wanted: aCluster(pools(4)).spec }, verb: 'patch' },
      { what: 'to create', wish: { wanted: aCluster(pools(4)).spec }, verb: 'create' },
    ])('$what', async ({ what, wish, verb }) => {
      if (what !== 'to create') await bench.start();
      await bench.plan(wish, 'grow', KEY);
      await bench.pass();
      bench.mayNot = verb;
      await expect(bench.approve('grow', KEY)).rejects.toMatchObject({
        code: 'Forbidden',
        message: expect.stringContaining(`cannot ${verb} resource "clusters"`) as unknown,
      });
      expect((await bench.find())?.status?.approval).toBeUndefined();
      bench.mayNot = undefined;
      expect((await bench.approve('grow', KEY)).status?.approval?.by).toBe(KEY);
    });
  });

  it('keeps the spec of a plan as it was made', async () => {
    await bench.start();
    await bench.plan(GROW);
    await expect(bench.for(PLAN).merge('grow', 'team-a', { spec: { ttl: '2h' } })).rejects.toMatchObject({
      code: 'InvalidSpec',
    });
  });
});
