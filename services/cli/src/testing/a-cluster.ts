import { CLUSTER, type Cluster, type ClusterStatus, type PhaseProgress } from '@crate/api';

/** A stored cluster as the API gives it. */
export function aCluster(status?: ClusterStatus, generation = 1): Cluster {
  const { spec } = CLUSTER.body.parse({
    spec: { accountRef: { name: 'sandbox' }, region: 'us-east-1', kubernetes: { version: 'v1.31.4' } },
  }) as { spec: Cluster['spec'] };
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: {
      ...{ name: 'demo', namespace: 'team-a', uid: 'uid', resourceVersion: '1', generation },
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec,
    ...(status ? { status } : {}),
  };
}

/** One phase; `progress` as `step/steps message`. */
export function aPhase(name: string, state: PhaseProgress['state'], progress = '0/1 Not started yet'): PhaseProgress {
  const [, step, steps, message = ''] = /^(\d+)\/(\d+) ?(.*)$/.exec(progress) ?? [];
  return { name, state, step: Number(step), steps: Number(steps), message };
}

/** A status that says the cluster is Ready at the generation. */
export function readyStatus(observedGeneration = 1): ClusterStatus {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime, observedGeneration },
    ],
  };
}
