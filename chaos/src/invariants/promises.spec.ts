import { describe, expect, it } from '@jest/globals';
import { anObject, aWorld, WAITING } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import type { KubeObject } from '../world/kube-object.js';
import { judge } from './all.js';

const CLUSTER = aWorld().clusters[0] ?? anObject('Cluster');

describe('what was promised and is said', () => {
  finds('acknowledged writes are readable', [
    {
      reason: 'a write that was acknowledged and is not in the log',
      planted: { acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, revision: 5 })) },
      message: /revision 5 is not in the log/,
    },
    {
      reason: 'a write that was acknowledged with another spec',
      planted: { acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, spec: { nodePools: [] } })) },
      message: /another spec/,
    },
    {
      reason: 'an object that vanished without being deleted',
      planted: { clusters: [] },
      message: /vanished/,
    },
    {
      reason: 'a force that was acknowledged, and that the log does not have',
      planted: {
        acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, annotations: { force: 'at once' } })),
      },
      message: /revision 3 is without force/,
    },
    {
      reason: 'a deletion that was acknowledged and forgotten',
      planted: { acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, what: 'deleted' })) },
      message: /was deleted and is there/,
    },
    {
      reason: 'a write that is not in the log, before others were forgotten that nobody read',
      planted: {
        acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, revision: 4 })),
        gaps: { Cluster: [{ after: 5, upTo: 6 }] },
      },
      message: /revision 4 is not in the log/,
    },
  ]);

  it.each([
    { what: 'a write', planted: { acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, revision: 5 })) } },
    { what: 'a deletion', planted: { clusters: [] } },
  ])('takes $what for kept that was most likely in a gap', ({ planted }) => {
    const found = judge(aWorld({ ...planted, gaps: { Cluster: [{ after: 4, upTo: 6 }] } }));
    expect(found.filter(({ invariant }) => invariant === 'acknowledged writes are readable')).toEqual([]);
  });

  finds('no status contradicts the world', [
    {
      reason: 'a Ready cluster with a machine too few',
      planted: { cloud: aWorld().cloud.slice(0, 1), states: [] },
      message: /1 machines instead of 2/,
    },
    {
      reason: 'a Ready cluster that counts other nodes',
      planted: { clusters: [{ ...CLUSTER, status: { ...CLUSTER.status, nodes: { ready: 4 } } }] },
      message: /nodes.ready is 4 instead of 1/,
    },
    {
      reason: 'a Ready cluster with an Infrastructure that is not',
      planted: { infrastructures: [anObject('Infrastructure', { status: WAITING })] },
      message: /Infrastructure team-a\/demo is not Ready/,
    },
  ]);

  finds('next plan is empty', [
    {
      reason: 'a plan that would change something',
      planted: { plans: { demo: 'Plan: 1 to add, 0 to change, 0 to destroy.' } },
      message: /1 to add/,
    },
  ]);

  finds('nothing waits without saying for what', [
    {
      reason: 'something that waits and does not say for what',
      planted: { clusters: [{ ...CLUSTER, status: WAITING }] },
      message: /Cluster team-a\/demo/,
    },
    {
      reason: 'something that says that it works, and on nothing in particular',
      planted: { infrastructures: [anObject('Infrastructure', { status: waitingFor('Provisioning') })] },
      message: /Infrastructure team-a\/demo/,
    },
    {
      reason: 'a deletion that does not say what it waits for',
      planted: {
        clusters: [{ ...CLUSTER, metadata: { ...CLUSTER.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
      },
      message: /Cluster team-a\/demo/,
    },
  ]);

  it('takes work for explained that says for which part it waits', () => {
    const kubernetesClusters = [anObject('KubernetesCluster', { status: waitingFor('WaitingForMachines') })];
    const found = judge(aWorld({ kubernetesClusters }));
    expect(found.filter(({ invariant }) => invariant.startsWith('nothing waits'))).toEqual([]);
  });
});

function waitingFor(reason: string): NonNullable<KubeObject['status']> {
  const message = 'Work is under way, see status.progress';
  return { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'False', reason, message }] };
}
