import { describe, expect, it } from '@jest/globals';
import { anObject, aRun } from '../testing/a-world.js';
import type { Condition, KubeObject } from '../world/kube-object.js';
import type { Records } from '../world/records.js';
import { unsettledIn } from './unsettled.js';

type Objects = Readonly<Record<string, readonly KubeObject[]>>;

const SETTLED: Objects = {
  Cluster: [anObject('Cluster')],
  Infrastructure: [anObject('Infrastructure')],
  KubernetesCluster: [anObject('KubernetesCluster')],
  AddOnInstallation: [anObject('AddOnInstallation')],
};

interface Answers {
  readonly answer?: string;
  readonly runs?: Awaited<ReturnType<Records['runs']>>;
}

function recordsOf(changes: Objects, { answer = '', runs = [aRun()] }: Answers = {}): Records {
  const records: Pick<Records, 'objects' | 'soundAnswers' | 'runs'> = {
    objects: (_schema, kind) => Promise.resolve({ ...SETTLED, ...changes }[kind] ?? []),
    soundAnswers: () => Promise.resolve(new Map([['Infrastructure-1', answer]])),
    runs: () => Promise.resolve(runs),
  };
  return records as Records;
}

function saying(kind: string, condition: Condition, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  const before = anObject(kind);
  return { ...before, metadata: { ...before.metadata, ...metadata }, status: { conditions: [condition] } };
}

const WAITING = { status: 'False', reason: 'NodeNotDrained', message: 'a pod may not go', observedGeneration: 1 };
const READY = { type: 'Ready', status: 'True', reason: 'Ready', message: 'All is well', observedGeneration: 1 };

describe('what is not as asked', () => {
  it('is nothing where everything is', async () => {
    expect(await unsettledIn(recordsOf({}))).toEqual([]);
  });

  it.each([
    {
      reason: 'an object that is not Ready',
      objects: { KubernetesCluster: [saying('KubernetesCluster', { ...WAITING, type: 'Ready' })] },
      want: 'KubernetesCluster team-a/demo: Ready is False, NodeNotDrained: a pod may not go',
    },
    {
      reason: 'one that was Ready before it was changed',
      objects: { Cluster: [saying('Cluster', READY, { generation: 2 })] },
      want: 'Cluster team-a/demo: Ready is True, Ready: All is well (of generation 1, not 2)',
    },
    {
      reason: 'one that is on its way out',
      objects: { Cluster: [saying('Cluster', { ...WAITING, type: 'Deleting' }, { deletionTimestamp: '2026-01-01' })] },
      want: 'Cluster team-a/demo: Deleting is False, NodeNotDrained: a pod may not go',
    },
    {
      reason: 'one that nobody has looked at',
      objects: { AddOnInstallation: [anObject('AddOnInstallation', { status: {} })] },
      want: 'AddOnInstallation team-a/demo says nothing',
    },
    {
      reason: 'a cluster without all of its parts',
      objects: { KubernetesCluster: [] },
      want: 'of 1 Clusters there are 1 Infrastructures and 0 KubernetesClusters',
    },
    {
      reason: 'a plan that is being carried out',
      objects: { Plan: [saying('Plan', { ...READY, status: 'False', reason: 'Executing' })] },
      want: 'Plan team-a/demo: Ready is False, Executing: All is well',
    },
    {
      reason: 'a class whose clusters are moved',
      objects: { ClusterClass: [saying('ClusterClass', { ...READY, type: 'RolledOut', status: 'False' })] },
      want: 'ClusterClass team-a/demo: RolledOut is False, Ready: All is well',
    },
  ])('names $reason', async ({ objects, want }) => {
    expect(await unsettledIn(recordsOf(objects))).toEqual([want]);
  });

  it('names a run that goes on', async () => {
    const runs = [aRun(), aRun({ id: 'run-2', state: 'running', ended_at: null })];
    expect(await unsettledIn(recordsOf({}, { runs }))).toEqual(['run run-2 of Infrastructure-1 goes on']);
  });

  it('names, once it is asked, an Infrastructure that has not answered', async () => {
    const want = 'Infrastructure team-a/demo has not answered that nothing differs';
    expect(await unsettledIn(recordsOf({}, { answer: 'before' }), 'now')).toEqual([want]);
    expect(await unsettledIn(recordsOf({}, { answer: 'now' }), 'now')).toEqual([]);
  });
});
