import { describe, expect, it } from '@jest/globals';
import { takesAddOns, type ClusterNode, type KubernetesCluster, type KubernetesClusterStatus } from '../index.js';

const VERSION = 'v1.31.4';
const NODES = ['control-plane-0', 'workers-0', 'workers-1'];

function wanted(name: string): ClusterNode {
  const role = name.startsWith('workers') ? 'worker' : 'control-plane';
  return { name, address: '10.0.0.1', role, pool: role };
}

function conditions(...types: string[]): KubernetesClusterStatus['conditions'] {
  const rest = { status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  return types.map((type) => ({ type, ...rest, observedGeneration: 2 }));
}

/** One that answers, of nodes of which these are ready. */
function aCluster(ready: readonly string[], nodes: readonly string[] = NODES): KubernetesCluster {
  return {
    metadata: { name: 'demo', generation: 2 },
    spec: { engine: 'rke', version: VERSION, clusterName: 'demo', nodes: nodes.map(wanted) },
    status: {
      conditions: conditions('ControlPlaneReady'),
      version: VERSION,
      nodes: nodes.map((name) => ({ name, role: '', version: VERSION, ready: ready.includes(name) })),
    },
  } as unknown as KubernetesCluster;
}

describe('takesAddOns', () => {
  const good = aCluster(['control-plane-0', 'workers-1']);
  it.each([
    { reason: 'one worker of two is not ready', cluster: good, want: true },
    { reason: 'no worker is ready', cluster: aCluster(['control-plane-0']), want: false },
    {
      reason: 'the control plane carries the workloads',
      cluster: aCluster(['control-plane-0'], ['control-plane-0', 'control-plane-1']),
      want: true,
    },
    {
      reason: 'the one that is ready is to leave',
      cluster: { ...aCluster(['workers-1']), spec: aCluster([], ['control-plane-0', 'workers-0']).spec },
      want: false,
    },
    { reason: 'it is upgraded', cluster: { ...good, spec: { ...good.spec, version: 'v1.31.8' } }, want: false },
    { reason: 'it was never up', cluster: { ...good, status: { ...good.status, version: undefined } }, want: false },
    { reason: 'it does not answer', cluster: { ...good, status: { ...good.status, conditions: [] } }, want: false },
    { reason: 'nobody has looked at it', cluster: { ...good, status: undefined }, want: false },
    {
      reason: 'it was there before, and is Ready',
      cluster: {
        ...good,
        spec: { engine: 'existing', clusterName: 'demo', nodes: [] },
        status: { conditions: conditions('Ready') },
      },
      want: true,
    },
    {
      reason: 'it was there before, and is not',
      cluster: { ...good, spec: { engine: 'existing', clusterName: 'demo', nodes: [] }, status: {} },
      want: false,
    },
  ])('is $want where $reason', ({ cluster, want }) => {
    expect(takesAddOns(cluster as KubernetesCluster)).toBe(want);
  });
});
