import { ADD_ON, CLUSTER, PLAN, POLICY, PROJECT, type Plan } from '@crate/api';
import { invalidSpec, unavailable } from '@crate/errors';
import type { ScriptedPolicyReviewer } from '@crate/messaging';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { anAddOn } from '../testing/a-cluster.js';
import { Killer } from '../testing/killer.js';
import { PlanBench } from '../testing/plan-bench.js';
import { PLAN_FINALIZER } from './plan.reconciler.js';
import { APPROVED_PLAN_ANNOTATION, approvedPlanOf, markOf } from './approved-plan.js';

const DAY_MS = 86_400_000;
const pools = (replicas: number): Record<string, unknown> => ({
  nodePools: [{ name: 'workers', replicas, machineType: 'm5.xlarge' }],
});
const GROW = { changes: pools(4) };
const SHRINK = { changes: pools(1) };
const VIOLATION = {
  policy: 'p',
  level: 'must' as const,
  severity: 'high' as const,
  effect: 'deny' as const,
  title: 't',
  field: 'spec',
  message: 'm',
  remedy: 'r',
  references: [],
};
const KEY = 'system:apikey:team-a:ci';
const OUTDATED = { code: 'PlanOutdated', message: 'moved', retryable: true };

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

const phase = (plan: Plan | undefined): string | undefined =>
  plan?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason;

const replicas = async (): Promise<number | undefined> => (await bench.cluster())?.spec.nodePools[0]?.replicas;

describe('working a plan out', () => {
  it('says what the change leads to, and changes nothing', async () => {
    const cluster = await bench.start();
    await bench.plan(GROW);
    await bench.pass();
    const plan = await bench.find();
    expect(phase(plan)).toBe('Ready');
    expect(plan?.status).toMatchObject({
      basis: { clusterUid: cluster.metadata.uid, generation: 1 },
      wanted: { nodePools: [{ replicas: 4 }] },
      consequences: {
        impact: 'none',
        fields: [{ field: 'spec.nodePools[name=workers].replicas', before: 2, after: 4 }],
        nodes: [{ name: 'demo-workers-2' }, { name: 'demo-workers-3' }],
        quota: [{ name: 'clusters', before: 1, after: 1 }, { name: 'nodes', before: 5, after: 7 }, { name: 'vcpu' }],
        cost: { difference: 288.32, unknown: [] },
        terraform: { counts: { create: 1 } },
      },
    });
    expect(await bench.cluster()).toMatchObject({ metadata: { generation: 1 } });

    const { resourceVersion } = plan!.metadata;
    await bench.pass();
    expect((await bench.find())?.metadata.resourceVersion).toBe(resourceVersion);
    expect(bench.planner.requests).toHaveLength(1);
  });

  it('counts a plan whose impact cannot be told as the worst', async () => {
    await bench.start();
    bench.planner.answer = { impact: undefined as never };
    await bench.plan(GROW);
    await bench.pass();
    expect((await bench.find())?.status?.consequences?.impact).toBe('replace');
  });

  it('plans a cluster that is not there, and its machines', async () => {
    const { spec } = await new PlanBench().start();
    await bench.plan({ wanted: spec });
    await bench.pass();
    expect(phase(await bench.find())).toBe('Ready');
    expect((await bench.find())?.status?.basis).not.toHaveProperty('generation');
    expect(bench.planner.requests[0]).toMatchObject({ name: 'demo', destroy: false });
  });

  const refused = [
    { name: 'what admission refuses', wish: { changes: { region: 'nowhere' } }, code: 'InvalidSpec' },
    { name: 'changes of a cluster that is not there', wish: GROW, code: 'ClusterNotFound', hasNone: true },
    { name: 'what is above the ceiling', wish: SHRINK, code: 'ImpactAboveCeiling', spec: { maxImpact: 'none' } },
  ];
  it.each(refused)('refuses $name, for good', async ({ wish, code, hasNone, spec }) => {
    if (!hasNone) await bench.start(spec);
    await bench.plan(wish);
    await bench.pass();
    const { status } = (await bench.find())!;
    expect(status).toMatchObject({ end: { phase: 'Refused', reason: code }, failure: { code, retryable: false } });
  });

  it.each([
    { name: 'a change', wish: GROW, want: { operation: 'UPDATE', document: { spec: pools(4) } } },
    { name: 'a deletion', wish: { destroy: true }, want: { operation: 'DELETE', document: { spec: pools(2) } } },
  ])('asks policies about $name as when it is made, and says what they answer', async ({ wish, want }) => {
    await bench.start();
    bench.policies.answer = { allowed: true, violations: [{ ...VIOLATION, effect: 'warn' }] };
    await bench.plan(wish);
    await bench.pass();
    const oldDocument = { kind: 'Cluster', spec: pools(2) };
    expect(bench.policies.requests).toMatchObject([{ ...want, oldDocument, dryRun: true }]);
    expect(bench.policies.requests[0]?.subject.provider).toBe('sandbox-aws');
    const { policy } = (await bench.find())?.status?.consequences ?? {};
    expect(policy?.admission).toMatchObject({ allowed: true, violations: [{ policy: 'p', effect: 'warn' }] });
  });

  it('refuses what policies refuse of the plan', async () => {
    await bench.start();
    bench.planner.answer = { review: { allowed: false, violations: [VIOLATION] } };
    await bench.plan(GROW);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'PolicyDenied' });
  });

  it('goes on once cloud-mgmt answers, and says meanwhile what it waits for', async () => {
    await bench.start();
    await bench.plan(GROW);
    bench.planner.error = unavailable('cloud-mgmt is not available, try again');
    expect(await bench.pass()).toMatchObject({ code: 'Unavailable' });
    const pending = await bench.find();
    expect(phase(pending)).toBe('Pending');
    expect(pending?.status?.conditions?.[0]?.message).toContain('cloud-mgmt is not available');
    bench.planner.error = undefined;
    await bench.pass();
    expect(phase(await bench.find())).toBe('Ready');
  });

  it('expires when nobody approves it, and is forgotten a day later', async () => {
    await bench.start();
    await bench.plan({ ...GROW, ttl: '1h' });
    await bench.pass();
    bench.now = new Date(bench.now.getTime() + DAY_MS / 24 + 1000);
    await bench.pass();
    expect(phase(await bench.find())).toBe('Expired');
    await expect(bench.approve()).rejects.toMatchObject({ code: 'Conflict' });
    bench.now = new Date(bench.now.getTime() + DAY_MS);
    await bench.pass();
    expect(await bench.find()).toBeUndefined();
  });
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

  it('keeps the spec of a plan as it was made', async () => {
    await bench.start();
    await bench.plan(GROW);
    await expect(bench.for(PLAN).merge('grow', 'team-a', { spec: { ttl: '2h' } })).rejects.toMatchObject({
      code: 'InvalidSpec',
    });
  });
});

/** A rule that names the people who may. */
const onlyFor =
  (...people: readonly string[]): ScriptedPolicyReviewer['answer'] =>
  ({ userInfo }) =>
    !userInfo || people.includes(userInfo.username)
      ? { allowed: true, violations: [] }
      : { allowed: false, violations: [VIOLATION] };

describe('a rule about people', () => {
  it('is not about lifecycle, which works a plan out for somebody', async () => {
    await bench.start();
    bench.policies.answer = onlyFor('sre');
    await bench.plan(GROW);
    await bench.pass();
    expect((await bench.find())?.status?.consequences?.policy.admission).toMatchObject({ allowed: true });
  });
});

async function approved(wish: Record<string, unknown>, spec: Record<string, unknown> = {}): Promise<void> {
  await bench.start(spec);
  await bench.plan(wish);
  await bench.pass();
  await bench.approve();
}

describe('carrying a plan out', () => {
  it('gives the cluster the spec, holds cloud-mgmt to the plan, and lets go once all is done', async () => {
    await approved(GROW);
    await bench.passes(2);
    expect(await replicas()).toBe(4);
    expect(markOf((await bench.cluster())!)).toMatchObject({ name: 'grow', generation: 2 });
    expect(phase(await bench.find())).toBe('Executing');

    await bench.provide();
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Executed', reason: 'Executed' });
    expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
    expect(bench.events.reasons).toEqual(['Normal PlanApproved', 'Normal PlanExecuted']);
    const [plan, cluster] = [await bench.find(), await bench.cluster()];
    await bench.pass();
    expect([await bench.find(), await bench.cluster()]).toEqual([plan, cluster]);
  });

  it('says that it is approved before it asks anybody, who may take a while to answer', async () => {
    await approved(GROW);
    const preview = bench.planner.preview.bind(bench.planner);
    const phases: unknown[] = [];
    bench.planner.preview = async (...call) => {
      phases.push(phase(await bench.find()));
      return preview(...call);
    };
    await bench.pass();
    expect(phases).toEqual(['Approved']);
  });

  it('keeps the mark from everybody else', async () => {
    await approved(GROW);
    await bench.passes(2);
    const mark = (await bench.cluster())?.metadata.annotations?.[APPROVED_PLAN_ANNOTATION];
    await bench
      .for(CLUSTER)
      .merge('demo', 'team-a', { metadata: { annotations: { [APPROVED_PLAN_ANNOTATION]: null } } });
    expect((await bench.cluster())?.metadata.annotations?.[APPROVED_PLAN_ANNOTATION]).toBe(mark);
  });

  const moves: readonly { name: string; move: () => unknown; text: string }[] = [
    {
      name: 'the cluster was changed',
      move: () => bench.for(CLUSTER).merge('demo', 'team-a', { spec: { paused: true } }),
      text: 'the generation of the cluster is 2, it was 1',
    },
    { name: 'the state has another serial', move: () => (bench.planner.answer = { stateSerial: 7 }), text: 'is 7' },
    {
      name: 'a policy came',
      move: () =>
        bench.for(POLICY).create({
          metadata: { name: 'p' },
          spec: {
            ...{ level: 'may', title: 't', remedy: 'r', match: { stages: ['ClusterSpec'] } },
            validations: [{ expression: 'true', message: 'm', field: 'f' }],
          },
        }),
      text: 'the revision of the policies',
    },
    {
      name: 'an add-on came',
      move: () => bench.for(ADD_ON).create({ metadata: { name: 'new' }, spec: anAddOn('new').spec }),
      text: 'the revision of the catalogue',
    },
    {
      name: 'Terraform would do something else',
      move: () => (bench.planner.world = 'moved'),
      text: 'Terraform would do something else',
    },
  ];
  it.each(moves)('refuses it when $name, and leaves the cluster as it is', async ({ move, text }) => {
    await approved(GROW);
    await move();
    const before = await bench.cluster();
    await bench.passes(3);
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect((await bench.find())?.status?.end?.message).toContain(text);
    expect(await bench.cluster()).toEqual(before);
  });

  it('gives the cluster its former spec when cloud-mgmt finds another plan, whatever the ceiling', async () => {
    await approved(GROW, { maxImpact: 'none' });
    await bench.passes(2);
    await bench.provide(OUTDATED);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect(await replicas()).toBe(2);
    expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
  });

  it('is carried out to its end when somebody deletes it meanwhile: nobody else would give the spec back', async () => {
    await approved(GROW);
    await bench.passes(2);
    await bench.for(PLAN).remove('grow', 'team-a');
    await bench.passes(2);
    expect((await bench.find())?.metadata.deletionTimestamp).toBeDefined();
    await bench.provide(OUTDATED);
    await bench.passes(2);
    expect(await replicas()).toBe(2);
    expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
    expect(await bench.find()).toBeUndefined();
  });

  it('is gone at once when somebody deletes it before it is begun, or after its end', async () => {
    await approved(GROW);
    await bench.for(PLAN).remove('grow', 'team-a');
    expect(await bench.find()).toBeUndefined();

    await bench.plan({ changes: { paused: false } }, 'nothing');
    await bench.pass('nothing');
    await bench.approve('nothing');
    await bench.pass('nothing');
    expect(phase(await bench.find('nothing'))).toBe('Executed');
    await bench.for(PLAN).remove('nothing', 'team-a');
    expect(await bench.find('nothing')).toBeUndefined();
  });

  it('removes a new cluster when cloud-mgmt finds another plan', async () => {
    const { spec } = await new PlanBench().start();
    await bench.plan({ wanted: spec });
    await bench.pass();
    await bench.approve();
    await bench.passes(2);
    expect(await bench.cluster()).toBeDefined();
    await bench.provide(OUTDATED);
    await bench.pass();
    expect(await bench.cluster()).toBeUndefined();
    expect(phase(await bench.find())).toBe('Refused');
  });

  it('ends when the cluster is changed again meanwhile', async () => {
    await approved(GROW);
    await bench.passes(2);
    await bench.for(CLUSTER).merge('demo', 'team-a', { spec: { paused: true } });
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Failed', reason: 'Superseded' });
    expect(await replicas()).toBe(4);
  });

  it('does nothing where there is nothing to do', async () => {
    await approved({ changes: { paused: false } });
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Executed', reason: 'NothingToDo' });
    expect((await bench.cluster())?.metadata.generation).toBe(1);
  });

  it('takes the cluster away', async () => {
    await approved({ destroy: true });
    await bench.passes(2);
    expect(await bench.cluster()).toBeUndefined();
    await bench.pass();
    expect(phase(await bench.find())).toBe('Executed');
  });

  describe('of a deletion that takes its time', () => {
    const HELD = { metadata: { finalizers: ['test/held'] } };
    const digestOf = async (name: string): Promise<string | undefined> =>
      (await bench.find(name))?.status?.basis?.digest;

    async function executing(): Promise<void> {
      await approved({ destroy: true });
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
      expect(phase(await bench.find())).toBe('Executed');
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
      expect(phase(await bench.find('again'))).toBe('Executing');
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

  it.each([false, true])('ends the same when it is killed at any write (done: %s)', async (afterwards) => {
    for (let deadly = 1, isOver = false; !isOver; deadly += 1) {
      const killer = new Killer(deadly, afterwards);
      bench = new PlanBench(killer.wrap);
      await bench.start();
      await bench.plan(GROW);
      await bench.pass();
      killer.restart();
      await bench.pass();
      await bench.approve().catch(() => undefined);
      killer.restart();
      await bench.approve();
      for (let turn = 0; turn < 6; turn += 1) {
        await bench.pass();
        killer.restart();
        await bench.provide();
      }
      expect({ deadly, phase: phase(await bench.find()), replicas: await replicas() }).toEqual({
        deadly,
        phase: 'Executed',
        replicas: 4,
      });
      expect((await bench.cluster())?.metadata).toMatchObject({ generation: 2 });
      expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
      isOver = !killer.hasStruck;
    }
  });
});

describe('a refusal of admission', () => {
  it('is not asked again', async () => {
    await bench.start();
    bench.planner.error = invalidSpec('no such machine type', []);
    await bench.plan(GROW);
    await bench.passes(3);
    expect(bench.planner.requests).toHaveLength(1);
  });
});

describe('the finalizer of a plan', () => {
  it('is not taken off by a person', async () => {
    await approved(GROW);
    await bench.pass();
    const patched = await bench.for(PLAN).merge('grow', 'team-a', { metadata: { finalizers: null } });
    expect(patched.metadata.finalizers).toEqual([PLAN_FINALIZER]);
  });
});
