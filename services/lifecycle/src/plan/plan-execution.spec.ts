import { ADD_ON, CLUSTER, POLICY } from '@crate/api';
import type { ResourceApi } from '@crate/resource-client';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { anAddOn } from '../testing/a-cluster.js';
import { aViolation, GROW, NOTHING, OUTDATED, PlanBench, SAME } from '../testing/plan-bench.js';
import { APPROVED_PLAN_ANNOTATION, approvedPlanOf, markOf } from './approved-plan.js';

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

describe('carrying a plan out', () => {
  it('gives the cluster the spec, holds cloud-mgmt to the plan, and lets go once all is done', async () => {
    await bench.startApproved(GROW);
    await bench.passes(2);
    expect(await bench.replicas()).toBe(4);
    expect(markOf((await bench.cluster())!)).toMatchObject({ name: 'grow', generation: 2 });
    expect(await bench.phase()).toBe('Executing');

    await bench.provide();
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Executed', reason: 'Executed' });
    expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
    expect(bench.events.reasons).toEqual(['Normal PlanApproved', 'Normal PlanExecuted']);
    const [plan, cluster] = [await bench.find(), await bench.cluster()];
    await bench.pass();
    expect([await bench.find(), await bench.cluster()]).toEqual([plan, cluster]);
  });

  it('leaves the mark alone that another plan sets just when it lets go', async () => {
    const marked = '{"name":"again","uid":"u","digest":"d","generation":2}';
    let isLate = true;
    bench = new PlanBench((api) =>
      beforePatch(api, async (patch) => {
        if (!isLate || patch?.metadata?.annotations?.[APPROVED_PLAN_ANNOTATION] !== null) return;
        isLate = false;
        const cluster = (await bench.cluster())!;
        const annotations = { [APPROVED_PLAN_ANNOTATION]: marked };
        await bench.store.update({ ...cluster, metadata: { ...cluster.metadata, annotations } });
      }),
    );
    await bench.startApproved(GROW);
    await bench.passes(2);
    await bench.provide();
    expect(await bench.pass()).toMatchObject({ code: 'Conflict' });
    await bench.passes(2);
    expect((await bench.cluster())?.metadata.annotations).toEqual({ [APPROVED_PLAN_ANNOTATION]: marked });
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Executed' });
    expect(bench.events.reasons).toEqual(['Normal PlanApproved', 'Normal PlanExecuted']);
  });

  it('keeps the mark from everybody else', async () => {
    await bench.startApproved(GROW);
    await bench.passes(2);
    const mark = (await bench.cluster())?.metadata.annotations?.[APPROVED_PLAN_ANNOTATION];
    expect(mark).toBeDefined();
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
    {
      name: 'the account is another one',
      move: () => (bench.planner.answer = { account: 'aws/222222222222' }),
      text: 'the account at the provider is aws/222222222222, it was aws/111111111111',
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
    await bench.startApproved(GROW);
    await move();
    const before = await bench.cluster();
    await bench.passes(3);
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect((await bench.find())?.status?.end?.message).toContain(text);
    expect(await bench.cluster()).toEqual(before);
  });

  it('names an upgrade of the platform, where Terraform would do something else since', async () => {
    bench.planner.answer = { release: '0.1.0' };
    await bench.startApproved(GROW);
    bench.planner.answer = { release: '0.2.0' };
    bench.planner.world = 'moved';
    await bench.passes(3);
    expect((await bench.find())?.status?.end?.message).toContain('the platform was upgraded from 0.1.0 to 0.2.0');
  });

  it('stands when an upgrade of the platform leaves what Terraform would do as it is', async () => {
    bench.planner.answer = { release: '0.1.0' };
    await bench.startApproved(GROW);
    bench.planner.answer = { release: '0.2.0' };
    await bench.passes(3);
    expect((await bench.find())?.status?.end).toBeUndefined();
    expect(await bench.replicas()).toBe(4);
  });

  it('gives the cluster its former spec when cloud-mgmt finds another plan, whatever the ceiling', async () => {
    await bench.startApproved(GROW, { maxImpact: 'none' });
    await bench.passes(2);
    await bench.provide(OUTDATED);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
    expect(await bench.replicas()).toBe(2);
    expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
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
    expect(await bench.phase()).toBe('Refused');
  });

  it('ends when the cluster is changed again meanwhile', async () => {
    await bench.startApproved(GROW);
    await bench.passes(2);
    await bench.for(CLUSTER).merge('demo', 'team-a', { spec: { paused: true } });
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Failed', reason: 'Superseded' });
    expect(await bench.replicas()).toBe(4);
  });

  it('refuses it when policies refuse by then what Terraform would do, though none of them was changed', async () => {
    await bench.startApproved(GROW);
    bench.planner.answer = { review: { allowed: false, violations: [aViolation()] } };
    await bench.passes(3);
    const { end, consequences } = (await bench.find())!.status!;
    expect(end).toMatchObject({ phase: 'Refused', reason: 'PolicyDenied' });
    expect(consequences?.policy.plan?.allowed).toBe(false);
    expect(await bench.cluster()).toMatchObject({ metadata: { generation: 1 } });
  });

  it('does nothing where there is nothing to do', async () => {
    bench.planner.answer = NOTHING;
    await bench.startApproved(SAME);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Executed', reason: 'NothingToDo' });
    expect((await bench.cluster())?.metadata.generation).toBe(1);
  });

  it('does nothing for a cluster that is paused and stays so: nobody would put drift back', async () => {
    await bench.startApproved({ changes: { paused: true } }, { paused: true });
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Executed', reason: 'NothingToDo' });
  });

  it('puts back drift under the spec that the cluster has, and is done once Terraform is', async () => {
    await bench.startApproved(SAME);
    await bench.passes(3);
    expect(await bench.phase()).toBe('Executing');
    const { digest } = (await bench.find())!.status!.basis!;
    expect(approvedPlanOf((await bench.cluster())!)).toEqual({ approvedPlan: { name: 'grow', digest } });

    await bench.provide();
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Executed', reason: 'Executed' });
    expect((await bench.cluster())?.metadata).toMatchObject({ generation: 1 });
    expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
  });
});

interface Patch {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> };
}

/** The API, with something happening right before each patch. */
function beforePatch(api: ResourceApi, happen: (patch: Patch | undefined) => Promise<void>): ResourceApi {
  return new Proxy(api, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        if (property === 'patch') await happen(args[1] as Patch | undefined);
        return (await Reflect.apply(value, target, args)) as unknown;
      };
    },
  });
}
