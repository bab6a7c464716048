import { describe, expect, it } from '@jest/globals';
import type { Cluster, ClusterStatus, Condition } from '@crate/api';
import { InMemoryEventRecorder, recordPass, settled } from '@crate/reconcile';
import { aCluster } from '../testing/a-cluster.js';
import { CLUSTER_TELLINGS } from './cluster.events.js';

const SINCE = '2026-01-01T00:00:00Z';
const WAITING = condition('Ready', 'False', 'WaitingForKubernetes', 'Work is under way, see status.progress');
const GONE_NODES = condition('NodesReady', 'False', 'WaitingForNodes', 'Not ready: demo-workers-1');
const FAILURE = {
  ...{ code: 'QuotaExceeded', message: 'The quota of machines is spent', retryable: true, traceId: 'a' },
  ...{ field: 'spec.nodePools[0].replicas', remedy: 'Ask for less' },
};

function condition(type: string, status: Condition['status'], reason: string, message = ''): Condition {
  return { type, status, reason, message, lastTransitionTime: SINCE, observedGeneration: 1 };
}

function withStatus(status: Partial<ClusterStatus>, spec: object = {}): Cluster {
  return { ...aCluster({ ...spec }), status: { observedGeneration: 1, conditions: [], ...status } };
}

/** What is told when a cluster that was ready is left like this. */
function told(status: Partial<ClusterStatus>, spec: object = {}): readonly string[] {
  const recorder = new InMemoryEventRecorder();
  const before = withStatus(
    { conditions: ['Ready', 'ControlPlaneReady', 'NodesReady'].map((type) => condition(type, 'True', 'Ready')) },
    spec,
  );
  const pass = { ok: true, outcome: settled } as const;
  const after = withStatus(status, spec);
  recordPass(recorder, CLUSTER_TELLINGS, { before, after, pass, traceId: 'a', isFailureKnown: true });
  return recorder.events.map(({ reason, message }) => `${reason}: ${message}`);
}

describe('a cluster that was ready and is not', () => {
  it('is told with what is wrong and what to do, not with that work is under way', () => {
    expect(told({ conditions: [WAITING, condition('ControlPlaneReady', 'True', 'Ready'), GONE_NODES] })).toEqual([
      'NotReady: NodesReady: Not ready: demo-workers-1; what to do: See whether its machines are still there: crate drift check demo -n team-a; what is gone comes back by: crate drift correct demo -n team-a',
    ]);
  });

  it('is told with the first cause of several', () => {
    const down = condition('ControlPlaneReady', 'Unknown', 'ConnectionDown', 'Nobody answers');
    const [controlPlane, ready] = told({ conditions: [WAITING, GONE_NODES, down] });
    expect(controlPlane).toMatch(/^ControlPlaneNotReady: Nobody answers; what to do: .*crate drift check demo/);
    expect(ready).toMatch(/^NotReady: ControlPlaneReady: Nobody answers; what to do: /);
  });

  it('is told with the failure on show, where there is one', () => {
    expect(told({ conditions: [WAITING, GONE_NODES], failure: FAILURE })).toEqual([
      'NotReady: The quota of machines is spent; field: spec.nodePools[0].replicas; what to do: Ask for less',
    ]);
  });

  it.each([
    {
      reason: 'its add-ons',
      status: { conditions: [WAITING, condition('AddOnsReady', 'False', 'WaitingForAddOns', 'Not ready: docs')] },
      want: 'NotReady: AddOnsReady: Not ready: docs; what to do: See all of it: crate describe cluster/demo -n team-a',
    },
    {
      reason: 'its infrastructure, which says no word',
      status: { conditions: [WAITING, condition('InfrastructureReady', 'False', 'WaitingForCloud')] },
      want: 'NotReady: InfrastructureReady: WaitingForCloud; what to do: See what the last run met: crate logs cluster/demo -n team-a --tail 50',
    },
  ])('is told with a way on for $reason', ({ status, want }) => {
    expect(told(status)).toEqual([want]);
  });
});
