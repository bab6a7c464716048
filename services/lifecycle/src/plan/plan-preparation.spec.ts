import { ADD_ON, type AddOn } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { anAddOn } from '../testing/a-cluster.js';
import { aViolation, GROW, PlanBench, pools, SHRINK } from '../testing/plan-bench.js';
import { movedSince } from './plan-preparation.js';

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

describe('working a plan out', () => {
  it('says what the change leads to, and changes nothing', async () => {
    const cluster = await bench.start();
    await bench.plan(GROW);
    await bench.pass();
    const plan = await bench.find();
    expect(await bench.phase()).toBe('Ready');
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

  it('says of no add-on that it comes where the cluster turned it off: add-ons stay as they are', async () => {
    const offer = async (name: string, spec: AddOn['spec']): Promise<unknown> =>
      bench.for(ADD_ON).ensure({ metadata: { name }, spec }, 'test');
    await offer('baseline', anAddOn('baseline').spec);
    await bench.start({ addOns: [{ name: 'baseline', enabled: false }] });
    await offer('storage', { ...anAddOn('storage', 'baseline').spec, defaultFor: ['sandbox-aws'] });
    await bench.plan(GROW);
    await bench.pass();
    expect((await bench.find())?.status?.consequences?.addOns).toEqual([]);
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
    expect(await bench.phase()).toBe('Ready');
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
    bench.policies.answer = { allowed: true, violations: [aViolation('warn')] };
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
    bench.planner.answer = { review: { allowed: false, violations: [aViolation()] } };
    await bench.plan(GROW);
    await bench.pass();
    expect((await bench.find())?.status?.end).toMatchObject({ phase: 'Refused', reason: 'PolicyDenied' });
  });
});

describe('a rule about people', () => {
  it('is not about lifecycle, which works a plan out for somebody', async () => {
    await bench.start();
    bench.policies.answer = ({ userInfo }) => ({ allowed: !userInfo, violations: userInfo ? [aViolation()] : [] });
    await bench.plan(GROW);
    await bench.pass();
    expect((await bench.find())?.status?.consequences?.policy.admission).toMatchObject({ allowed: true });
  });
});

describe('movedSince', () => {
  it('does not compare the account where an older version did not say it', () => {
    const basis = { policyRevision: 'p', catalogueRevision: 'c', digest: 'd' };
    const now = { ...basis, account: 'aws/222222222222' };
    expect(movedSince({ basis }, { basis: now })).toEqual([]);
    expect(movedSince({ basis: now }, { basis })).toEqual([]);
  });
});
