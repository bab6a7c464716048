import { describe, expect, it } from '@jest/globals';
import { findCondition, type KubernetesCluster, type KubernetesClusterStatus } from '@crate/api';
import { PlatformError, invariant } from '@crate/errors';
import type { TargetNode } from '@crate/kubernetes';
import { settled, waiting, type Pass } from '@crate/reconcile';
import { machineSpec, NODE_NAMES } from '../testing/builders.js';
import { openScope, type Contact, type KubernetesClusterScope } from './kubernetes-cluster.scope.js';
import { kubernetesClusterStatus } from './kubernetes-cluster.status.js';

const now = new Date('2026-11-21T12:00:00Z');
const context = { now, traceId: 'f'.repeat(32), warnAfterMs: 900_000 };
const done: Pass = { ok: true, outcome: settled };
const up: Contact = { kind: 'up', version: 'v1.31.4', nodes: NODE_NAMES.map((name) => aTargetNode(name)) };
const silent: Contact = { kind: 'silent', reason: 'ConnectionDown', message: 'No answer', isBeyondGrace: false };
const running: Pass = { ok: true, outcome: waiting('EngineRunning', 0) };

function aTargetNode(name: string, ready = true): TargetNode {
  return { name, role: 'worker', ready, version: 'v1.31.4', unschedulable: false };
}

function aCluster(
  status?: KubernetesClusterStatus,
  metadata: Partial<KubernetesCluster['metadata']> = {},
): KubernetesCluster {
  const created = { uid: 'u', resourceVersion: '1', generation: 3, creationTimestamp: '2026-11-21T11:00:00Z' };
  return {
    apiVersion: 'cluster.crate.dev/v1alpha1',
    kind: 'KubernetesCluster',
    metadata: { name: 'demo', namespace: 'team-a', ...created, ...metadata },
    spec: machineSpec(),
    ...(status ? { status } : {}),
  };
}

function withOneMore(cluster: KubernetesCluster): KubernetesCluster {
  const { spec } = cluster;
  const [first] = spec.nodes;
  return {
    ...cluster,
    spec: { ...spec, nodes: [...spec.nodes, ...(first ? [{ ...first, name: 'demo-workers-9' }] : [])] },
  };
}

function aScope(changes: Partial<KubernetesClusterScope>, cluster = aCluster()): KubernetesClusterScope {
  return Object.assign(openScope(cluster), changes);
}

const BLOCKER = { kind: 'Service', name: 'shop/web', reason: 'LoadBalancerLeft', message: 'Not gone yet' };
const settledStatus = kubernetesClusterStatus(aScope({ isApplied: true, contact: up }), done, context);
const lostStatus = kubernetesClusterStatus(
  aScope({ isApplied: true, contact: { ...silent, isBeyondGrace: true } }, aCluster(settledStatus)),
  { ok: true, outcome: waiting('ConnectionDown', 1) },
  context,
);

describe('kubernetesClusterStatus', () => {
  interface Row {
    readonly name: string;
    readonly reason: string;
    readonly scope: KubernetesClusterScope;
    readonly pass: Pass;
    readonly want: Record<string, string>;
  }

  it.each<Row>([
    {
      name: 'settled',
      reason: 'the spec is applied and every node is ready',
      scope: aScope({ isApplied: true, contact: up }),
      pass: done,
      want: {
        Ready: 'True Ready',
        Synced: 'True ReconcileSuccess',
        ControlPlaneReady: 'True Ready',
        NodesReady: 'True Ready',
      },
    },
    {
      name: 'engine running for the first time',
      reason: 'nothing is known of the cluster yet',
      scope: aScope({}),
      pass: running,
      want: { Ready: 'False EngineRunning', Synced: 'Unknown InProgress', ControlPlaneReady: 'False NotStarted' },
    },
    {
      name: 'engine running again',
      reason: 'what was seen of the cluster last stays, but it is not as asked for',
      scope: aScope({}, aCluster(settledStatus)),
      pass: running,
      want: { Ready: 'False EngineRunning', ControlPlaneReady: 'True Ready', NodesReady: 'True Ready' },
    },
    {
      name: 'a node missing',
      reason: 'the control plane answers all the same',
      scope: aScope({ isApplied: true, contact: { ...up, nodes: [aTargetNode('demo-workers-0', false)] } }),
      pass: { ok: true, outcome: waiting('WaitingForNodes', 1) },
      want: { Ready: 'False WaitingForNodes', ControlPlaneReady: 'True Ready', NodesReady: 'False WaitingForNodes' },
    },
    {
      name: 'silent within the grace time',
      reason: 'what was last known stays',
      scope: aScope({ isApplied: true, contact: silent }, aCluster(settledStatus)),
      pass: { ok: true, outcome: waiting('ConnectionDown', 1) },
      want: {
        Ready: 'True Ready',
        ControlPlaneReady: 'True Ready',
        NodesReady: 'True Ready',
        Synced: 'True ReconcileSuccess',
      },
    },
    {
      name: 'silent since another spec was applied',
      reason: 'what was known of the spec before says nothing about this one',
      scope: aScope({ isApplied: true, contact: silent }, aCluster(settledStatus, { generation: 4 })),
      pass: { ok: true, outcome: waiting('ConnectionDown', 1) },
      want: {
        Ready: 'Unknown ConnectionDown',
        ControlPlaneReady: 'Unknown ConnectionDown',
        NodesReady: 'Unknown ConnectionDown',
        Synced: 'True ReconcileSuccess',
      },
    },
    {
      name: 'engine running for a node more',
      reason: 'that the others are ready says nothing about it',
      scope: aScope({}, withOneMore(aCluster(settledStatus, { generation: 4 }))),
      pass: running,
      want: { Ready: 'False EngineRunning', ControlPlaneReady: 'True Ready', NodesReady: 'False WaitingForNodes' },
    },
    {
      name: 'engine running after a long silence',
      reason: 'nobody has looked since',
      scope: aScope({}, aCluster(lostStatus)),
      pass: running,
      want: { Ready: 'False EngineRunning', NodesReady: 'Unknown ConnectionDown' },
    },
    {
      name: 'silent for too long',
      reason: 'nothing can be said any more',
      scope: aScope({ isApplied: true, contact: { ...silent, isBeyondGrace: true } }, aCluster(settledStatus)),
      pass: { ok: true, outcome: waiting('ConnectionDown', 1) },
      want: {
        Ready: 'Unknown ConnectionDown',
        ControlPlaneReady: 'Unknown ConnectionDown',
        NodesReady: 'Unknown ConnectionDown',
      },
    },
    {
      name: 'never heard of',
      reason: 'a cluster that just came up is not down',
      scope: aScope({ isApplied: true, contact: { ...silent, isBeyondGrace: true } }),
      pass: { ok: true, outcome: waiting('WaitingForControlPlane', 1) },
      want: { Ready: 'False WaitingForControlPlane', ControlPlaneReady: 'False WaitingForControlPlane' },
    },
    {
      name: 'failed',
      reason: 'the stable code of the failure is the reason',
      scope: aScope({ stage: 'work' }),
      pass: { ok: false, error: new PlatformError('Unavailable', 'No SSH', { details: { reason: 'SshUnreachable' } }) },
      want: { Ready: 'False SshUnreachable', Synced: 'False ReconcileError', Deleting: 'False NotDeleting' },
    },
    {
      name: 'deleting',
      reason: 'what it waits for is told',
      scope: aScope({ blockers: [BLOCKER] }, aCluster(settledStatus, { deletionTimestamp: '2026-11-21T11:59:00Z' })),
      pass: { ok: true, outcome: waiting('WaitingForCloudObjects', 1) },
      want: { Ready: 'False Deleting', Deleting: 'True DeletionRequested' },
    },
    {
      name: 'held up',
      reason: 'what has been in the way for too long is another reason',
      scope: aScope(
        { blockers: [BLOCKER] },
        aCluster(
          {
            deletion: {
              requestedAt: '2026-11-21T10:00:00Z',
              blockers: [{ ...BLOCKER, since: '2026-11-21T10:00:00Z' }],
            },
          },
          { deletionTimestamp: '2026-11-21T10:00:00Z' },
        ),
      ),
      pass: { ok: true, outcome: waiting('WaitingForCloudObjects', 1) },
      want: { Ready: 'False Deleting', Deleting: 'True DeletionBlocked' },
    },
  ])('$name: $reason', ({ scope, pass, want }) => {
    const { conditions } = kubernetesClusterStatus(scope, pass, context);
    const got = Object.keys(want).map((type) => {
      const found = findCondition(conditions, type);
      return [type, `${found?.status} ${found?.reason}`];
    });

    expect(Object.fromEntries(got)).toEqual(want);
    expect(conditions).toHaveLength(7);
  });

  it('claims to have seen a generation only once it is applied', () => {
    const seen = (scope: KubernetesClusterScope, pass: Pass): number | undefined =>
      kubernetesClusterStatus(scope, pass, context).observedGeneration;

    expect(seen(aScope({ isApplied: true, contact: up }), done)).toBe(3);
    expect(seen(aScope({}), running)).toBe(0);
    expect(seen(aScope({ isApplied: true }), { ok: false, error: new Error('x') })).toBe(0);
  });

  it('says nothing about our own bugs but the trace', () => {
    const pass: Pass = { ok: false, error: invariant('secret inner state') };
    const { failure, conditions } = kubernetesClusterStatus(aScope({}), pass, context);

    expect(failure).toMatchObject({ code: 'InternalError', traceId: context.traceId });
    expect(JSON.stringify([failure, conditions])).not.toContain('secret inner state');
  });

  it('drops a failure when the spec changed since', () => {
    const failing: Pass = { ok: false, error: new PlatformError('Unavailable', 'No SSH') };
    const failed = kubernetesClusterStatus(aScope({}), failing, context);
    const same = aScope({}, aCluster(failed));
    const changed = aScope({}, aCluster(failed, { generation: 4 }));

    expect(kubernetesClusterStatus(same, running, context).failure).toEqual(failed.failure);
    expect(kubernetesClusterStatus(changed, running, context).failure).toBeUndefined();
  });

  it('keeps what it published when a pass learns nothing new', () => {
    const before = { ...settledStatus, sshPublicKey: 'ssh-ed25519 A', stateSerial: 4, appliedHash: 'h' };
    const after = kubernetesClusterStatus(aScope({}, aCluster(before)), running, context);

    for (const field of ['sshPublicKey', 'apiEndpoint', 'version', 'stateSerial', 'appliedHash', 'nodes'] as const) {
      expect(after[field]).toEqual(before[field]);
    }
  });

  it('keeps what was left to the cloud until the drain has looked again', () => {
    const leftToTheCloud = [{ kind: 'Service', name: 'shop/web', since: '2026-11-21T10:00:00Z' }];
    const cluster = aCluster({ leftToTheCloud }, { deletionTimestamp: '2026-11-21T10:00:00Z' });
    const failing: Pass = { ok: false, error: new PlatformError('Unavailable', 'No database') };

    expect(kubernetesClusterStatus(aScope({}, cluster), failing, context)).toMatchObject({ leftToTheCloud });
    const looked = aScope({ leftToTheCloud: [] }, cluster);
    expect(kubernetesClusterStatus(looked, running, context)).not.toHaveProperty('leftToTheCloud');
  });

  it('is the same for the same facts, however much time passes', () => {
    const again = kubernetesClusterStatus(aScope({ isApplied: true, contact: up }, aCluster(settledStatus)), done, {
      now: new Date('2027-01-01T00:00:00Z'),
      traceId: '0'.repeat(32),
      warnAfterMs: 900_000,
    });

    expect(again).toEqual(settledStatus);
  });
});
