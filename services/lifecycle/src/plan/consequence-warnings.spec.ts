import { CLUSTER } from '@crate/api';
import { timeout, unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { as, PlanBench } from '../testing/plan-bench.js';

const CLUSTERS = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };
const REF = { ...CLUSTERS, namespace: 'team-a', name: 'demo' };

let bench: PlanBench;
beforeEach(async () => {
  bench = new PlanBench();
  await bench.start();
});

const dryRun = async (spec: unknown, isDry = true): Promise<readonly string[]> =>
  (await bench.api.patch(REF, { spec }, { type: 'merge', dryRun: isDry }, as('ada'))).warnings;

const FEWER = { nodePools: [{ name: 'workers', replicas: 1, machineType: 'm5.xlarge' }] };

describe('a dry run of a cluster', () => {
  it('warns of every consequence, and stores nothing', async () => {
    const machine = { type: 'aws_instance', action: 'create' as const, changes: [] };
    const resources = Array.from({ length: 12 }, (_, index) => ({
      ...machine,
      name: `m-${index}`,
      address: `a.m-${index}`,
    }));
    const gone = { ...machine, action: 'destroy' as const, name: 'old', address: 'a.old' };
    bench.planner.answer = { resources: [...resources, gone] };
    expect(await dryRun({ ...FEWER, kubernetes: { version: 'v1.30.8' } })).toEqual([
      'spec.kubernetes.version: impact roll',
      'spec.nodePools[name=workers].replicas: impact roll',
      'nodes that leave: demo-workers-1',
      'nodes that roll: demo-control-plane-0, demo-control-plane-1, demo-control-plane-2, demo-workers-0',
      'quota: nodes 5 -> 4, vcpu 14 -> 10',
      'cost: -144.16 USD/month (660.28 -> 516.12 USD, list prices of 2026-11-21)',
      'Terraform: 1 to create, 0 to update, 0 to destroy',
      'Terraform: destroy a.old',
      'Terraform: create a.m-0, a.m-1, a.m-2, a.m-3, a.m-4, a.m-5, a.m-6, a.m-7, a.m-8, a.m-9 and 2 more',
      'policies: allow what Terraform would do',
    ]);
    expect((await bench.cluster())?.metadata.generation).toBe(1);
  });

  it('says what policies refuse of what Terraform would do', async () => {
    const violation = {
      policy: 'p',
      level: 'must',
      title: 't',
      field: 'spec.network',
      message: 'No',
      remedy: '',
      references: [],
    };
    bench.planner.answer = { review: { allowed: false, violations: [violation] } as never };
    expect((await dryRun(FEWER)).slice(-2)).toEqual([
      'policies: refuse what Terraform would do',
      'policies: must p (spec.network): No',
    ]);
  });

  it('says that a change costs nothing', async () => {
    const lines = await dryRun({ kubernetes: { version: 'v1.30.8' } });
    expect(lines).toContain('cost: as before (660.28 USD/month, list prices of 2026-11-21)');
  });

  it('says which prices are not known', async () => {
    const spec = { nodePools: [{ name: 'workers', replicas: 2, machineType: 'x9.large' }] };
    expect(await dryRun(spec)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^cost: .* and what is not known .*not known: machine x9\.large/)]),
    );
  });

  const unknown = [
    { name: 'does not answer', error: unavailable('cloud-mgmt is not available'), text: 'cloud-mgmt is not available' },
    { name: 'takes too long', error: timeout('too late'), text: 'too late' },
  ];
  it.each(unknown)('says how to see the rest when cloud-mgmt $name', async ({ error, text }) => {
    bench.planner.error = error;
    const warnings = await dryRun(FEWER);
    expect(warnings.at(-1)).toContain(text);
    expect(warnings.at(-1)).toContain('crate plan demo -n team-a -f FILE --wait');
  });

  it('answers also while nobody can tell anything', async () => {
    bench.policies.answer = unavailable('policy-mgmt is not available');
    expect(await dryRun(FEWER)).toEqual(['consequences: not known (policy-mgmt is not available)']);
  });

  it('asks nobody for a write that is meant, or changes nothing', async () => {
    expect(await dryRun({})).toEqual([]);
    expect(await dryRun(FEWER, false)).toEqual([]);
    expect(bench.planner.requests).toEqual([]);
  });
});

describe('a dry run of a deletion', () => {
  const remove = async (isDry = true): Promise<readonly string[]> =>
    (await bench.api.remove(REF, { dryRun: isDry }, as('ada'))).warnings;

  it('warns of everything that would go, and deletes nothing', async () => {
    const gone = { type: 'aws_vpc', action: 'destroy' as const, name: 'vpc', address: 'aws_vpc.vpc', changes: [] };
    const counts = { create: 0, update: 0, replace: 0, destroy: 1, import: 0, forget: 0 };
    bench.planner.answer = { counts, resources: [gone] };
    expect(await remove()).toEqual([
      'nodes that leave: demo-control-plane-0, demo-control-plane-1, demo-control-plane-2, demo-workers-0, demo-workers-1',
      'quota: clusters 1 -> 0, nodes 5 -> 0, vcpu 14 -> 0',
      'cost: -660.28 USD/month (660.28 -> 0.00 USD, list prices of 2026-11-21)',
      'Terraform: 0 to create, 0 to update, 1 to destroy',
      'Terraform: destroy aws_vpc.vpc',
      'policies: allow what Terraform would do',
    ]);
    expect(bench.planner.requests.map(({ destroy }) => destroy)).toEqual([true]);
    expect((await bench.cluster())?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('says how to see the rest when cloud-mgmt does not answer', async () => {
    bench.planner.error = unavailable('cloud-mgmt is not available');
    expect((await remove()).at(-1)).toBe(
      'Terraform: not known (cloud-mgmt is not available); make a plan to see it (crate plan demo -n team-a --destroy --wait)',
    );
  });

  it('asks nobody for one that is meant', async () => {
    expect(await remove(false)).toEqual([]);
    expect(bench.planner.requests).toEqual([]);
  });
});
