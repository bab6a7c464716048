import { describe } from '@jest/globals';
import { anObject, aWorld, TARGET } from '../testing/a-world.js';
import { finds, type Planted } from '../testing/finds.js';
import type { World } from '../world/world.js';

const CLUSTER = aWorld().clusters[0] ?? anObject('Cluster');

/** A cluster that says Ready, with this in it. */
function inTheCluster(rows: readonly (readonly [string, World['targets'][string], RegExp])[]): readonly Planted[] {
  return rows.map(([reason, target, message]) => ({
    reason: `a Ready cluster with ${reason}`,
    planted: { targets: { 'KubernetesCluster-1': target } },
    message,
  }));
}

describe('what is in a cluster', () => {
  finds('no status contradicts the world', [
    ...inTheCluster([
      ['a node too few', { ...TARGET, nodes: [] }, /nodes are at none instead of 10.0.0.7/],
      [
        'a node that is no machine of it',
        { ...TARGET, nodes: TARGET.nodes.map((node) => ({ ...node, address: '10.0.0.8' })) },
        /nodes are at 10.0.0.8 instead of 10.0.0.7/,
      ],
      [
        'a node of another version',
        { ...TARGET, nodes: TARGET.nodes.map((node) => ({ ...node, version: 'v1.31.3' })) },
        /demo-control-plane-0 is v1.31.3 instead of v1.31.4/,
      ],
      ['an add-on that nobody made', { ...TARGET, addOns: [] }, /docs is not there/],
      ['no answer', 'it does not answer: Error', /it does not answer/],
    ]),
    {
      reason: 'a Ready cluster with an add-on that was taken out of its spec',
      planted: { clusters: [{ ...CLUSTER, spec: { ...CLUSTER.spec, addOns: [] } }] },
      message: /docs is still there/,
    },
    {
      reason: 'a Ready cluster with machines of another type',
      planted: {
        clusters: [{ ...CLUSTER, spec: { ...CLUSTER.spec, controlPlane: { replicas: 1, machineType: 'm5.xlarge' } } }],
      },
      message: /machines are m5.large instead of m5.xlarge/,
    },
    {
      reason: 'a Ready cluster that nobody looked into',
      planted: { targets: {} },
      message: /nobody looked into it/,
    },
  ]);
});
