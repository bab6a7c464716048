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
    expect(await dryRun({ ...FEWER, kubernetes: { version: 'v1.30.8' } })).toEqual([
      'spec.kubernetes.version: impact roll',
      'spec.nodePools[name=workers].replicas: impact roll',
      'nodes that leave: demo-workers-1',
      'nodes that roll: demo-control-plane-0, demo-control-plane-1, demo-control-plane-2, demo-workers-0',
      'quota: nodes 5 -> 4, vcpu 14 -> 10',
      'cost: -144.16 USD/month (660.28 -> 516.12 USD, list prices of 2026-11-21)',
      'Terraform: 1 to create, 0 to update, 0 to destroy',
    ]);
    expect((await bench.cluster())?.metadata.generation).toBe(1);
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
    expect(warnings.at(-1)).toContain('crate plan demo -f FILE');
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
