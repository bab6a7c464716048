import { describe, expect, it } from '@jest/globals';
import type { KubernetesCluster } from '@crate/api';
import { machineEvents } from './kubernetes-cluster.events.js';

type Status = NonNullable<KubernetesCluster['status']>;

function node(name: string, ready = true): NonNullable<Status['nodes']>[number] {
  return { name, role: 'worker', ready, version: 'v1.31.4' };
}

function aCluster(status: Status): KubernetesCluster {
  return { spec: { version: 'v1.31.4', nodes: [{}, {}] }, status } as unknown as KubernetesCluster;
}

function reasons(before: Status, after: Status): readonly string[] {
  return machineEvents(aCluster(before), aCluster(after)).map(({ reason, message }) => `${reason} ${message}`);
}

describe('machineEvents', () => {
  it.each([
    { name: 'nothing new', before: { nodes: [node('a')] }, after: { nodes: [node('a')] }, want: [] },
    {
      name: 'nodes that come',
      before: { nodes: [node('a', false)] },
      after: { nodes: [node('a'), node('b'), node('c', false)] },
      want: ['NodeReady Ready: a, b'],
    },
    {
      name: 'nodes that fall silent and go',
      before: { nodes: [node('a'), node('b')] },
      after: { nodes: [node('a', false)] },
      want: [
        'NodeNotReady Not ready any more, as kubectl describe node explains: a',
        'NodeRemoved Left the cluster: b',
      ],
    },
    {
      name: 'what the engine has done',
      before: { appliedHash: 'x' },
      after: { appliedHash: 'y' },
      want: ['KubernetesApplied Kubernetes v1.31.4 is on 2 machines'],
    },
  ])('tells of $name', ({ before, after, want }) => {
    expect(reasons(before, after)).toEqual(want);
  });
});
