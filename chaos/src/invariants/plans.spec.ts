import { describe, expect, it } from '@jest/globals';
import { anObject, aWorld } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import type { KubeObject } from '../world/kube-object.js';
import type { World } from '../world/world.js';
import { judge } from './all.js';

const CLUSTER = aWorld().clusters[0] ?? anObject('Cluster');

const approved: Partial<World> = {
  acknowledged: [
    ...aWorld().acknowledged,
    { what: 'approved', kind: 'Plan', uid: 'Plan-1', name: 'grow', revision: 9, spec: {} },
  ],
};

function aPlan(reason: string): KubeObject {
  const plan = anObject('Plan', { spec: { changes: { nodePools: [{ name: 'workers', replicas: 5 }] } } });
  return {
    ...plan,
    metadata: { ...plan.metadata, name: 'grow' },
    status: {
      conditions: [{ type: 'Ready', status: 'False', reason }],
      basis: { clusterUid: 'Cluster-1' },
      execution: { generation: 1 },
    },
  };
}

describe('plans of users', () => {
  finds('approved plans end, and say how', [
    {
      reason: 'a plan that was approved and is still carried out',
      planted: { ...approved, userPlans: [aPlan('Executing')] },
      message: /grow was approved and is Executing/,
    },
    {
      reason: 'a plan that was approved and is gone',
      planted: approved,
      message: /grow was approved and is gone/,
    },
    {
      reason: 'a plan that says it was executed, and no cluster ever was so',
      planted: { userPlans: [aPlan('Executed')] },
      message: /grow says Executed/,
    },
  ]);

  it('takes a plan for executed whose cluster became as it says', () => {
    const grown = { ...CLUSTER, spec: { ...CLUSTER.spec, nodePools: [{ name: 'workers', replicas: 5 }] } };
    const change = { revision: 6, type: 'MODIFIED' as const, kind: 'Cluster', uid: 'Cluster-1', object: grown };
    const changes = { Cluster: [...(aWorld().changes['Cluster'] ?? []), change] };
    const userPlans = [aPlan('Executed')];
    const found = judge(aWorld({ ...approved, userPlans, changes, watched: [] }));
    expect(found).toEqual([]);
  });

  it.each([
    { name: CLUSTER.metadata.name, found: 0 },
    { name: 'another', found: 1 },
  ])('takes a plan for executed that made a cluster of its name: $name', ({ name, found }) => {
    const plan = { ...aPlan('Executed'), spec: { clusterRef: { name } } };
    const userPlans = [{ ...plan, status: { ...plan.status, basis: {} } }];
    expect(judge(aWorld({ userPlans }))).toHaveLength(found);
  });

  it('takes a plan for executed whose cluster was perhaps so in a gap', () => {
    const userPlans = [aPlan('Executed')];
    expect(judge(aWorld({ userPlans, gaps: { Cluster: [{ after: 4, upTo: 5 }] } }))).toEqual([]);
  });

  it('takes a plan for executed whose cluster was as it says, so that there was nothing to execute', () => {
    const { execution: _, ...status } = aPlan('Executed').status as Record<string, unknown>;
    const basis = { clusterUid: 'Cluster-1', generation: CLUSTER.metadata.generation };
    const userPlans = [{ ...aPlan('Executed'), spec: { changes: {} }, status: { ...status, basis } }];
    expect(judge(aWorld({ ...approved, userPlans }))).toEqual([]);
  });
});
