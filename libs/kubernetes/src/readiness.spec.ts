import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { isReady } from './readiness.js';

interface Row {
  readonly apiVersion: string;
  readonly kind: string;
  readonly reason: string;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly generation?: number;
  readonly ready: boolean;
}

function object({ apiVersion, kind, spec, status, generation = 2 }: Row): KubeObject {
  const metadata = { name: 'x', uid: 'u', resourceVersion: '1', generation, creationTimestamp: '2026-01-01T00:00:00Z' };
  return { apiVersion, kind, metadata, ...(spec ? { spec } : {}), ...(status ? { status } : {}) };
}

const rolledOut = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
const apps = { apiVersion: 'apps/v1', spec: { replicas: 2 } };
const core = { apiVersion: 'v1' };

describe('isReady', () => {
  it.each<Row>([
    { ...apps, kind: 'Deployment', reason: 'all replicas are new and available', status: rolledOut, ready: true },
    { ...apps, kind: 'Deployment', reason: 'nobody looked at it yet', ready: false },
    {
      ...apps,
      kind: 'Deployment',
      reason: 'its newest generation is not taken up',
      status: { ...rolledOut, observedGeneration: 1 },
      ready: false,
    },
    { ...apps, kind: 'Deployment', reason: 'old pods still run', status: { ...rolledOut, replicas: 3 }, ready: false },
    {
      ...apps,
      kind: 'Deployment',
      reason: 'one is not available',
      status: { ...rolledOut, availableReplicas: 1 },
      ready: false,
    },
    {
      ...apps,
      kind: 'Deployment',
      reason: 'the rollout is stuck',
      status: {
        ...rolledOut,
        conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      },
      ready: false,
    },
    {
      ...apps,
      kind: 'Deployment',
      reason: 'none are asked for',
      spec: { replicas: 0 },
      status: { observedGeneration: 2 },
      ready: true,
    },
    { ...apps, kind: 'StatefulSet', reason: 'all replicas are ready', status: rolledOut, ready: true },
    {
      ...apps,
      kind: 'StatefulSet',
      reason: 'an update is under way',
      status: { ...rolledOut, currentRevision: 'a', updateRevision: 'b' },
      ready: false,
    },
    {
      ...apps,
      kind: 'StatefulSet',
      reason: 'it updates the pods that somebody deletes',
      spec: { replicas: 2, updateStrategy: { type: 'OnDelete' } },
      status: { ...rolledOut, updatedReplicas: 0, currentRevision: 'a', updateRevision: 'b' },
      ready: true,
    },
    {
      ...apps,
      kind: 'StatefulSet',
      reason: 'it updates the pods that somebody deletes, and one is not back',
      spec: { replicas: 2, updateStrategy: { type: 'OnDelete' } },
      status: { ...rolledOut, readyReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      ready: false,
    },
    {
      ...apps,
      kind: 'StatefulSet',
      reason: 'all pods from its partition on are new',
      spec: { replicas: 2, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
      status: { ...rolledOut, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      ready: true,
    },
    {
      ...apps,
      kind: 'StatefulSet',
      reason: 'a pod from its partition on is old',
      spec: { replicas: 2, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
      status: { observedGeneration: 2, readyReplicas: 2, currentRevision: 'a', updateRevision: 'b' },
      ready: false,
    },
    {
      ...apps,
      kind: 'DaemonSet',
      reason: 'it updates the pods that somebody deletes',
      spec: { updateStrategy: { type: 'OnDelete' } },
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 0, numberAvailable: 3 },
      ready: true,
    },
    {
      ...apps,
      kind: 'DaemonSet',
      reason: 'it updates the pods that somebody deletes, and one is not back',
      spec: { updateStrategy: { type: 'OnDelete' } },
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 1, numberAvailable: 2 },
      ready: false,
    },
    {
      ...apps,
      kind: 'DaemonSet',
      reason: 'every node runs it',
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 },
      ready: true,
    },
    {
      ...apps,
      kind: 'DaemonSet',
      reason: 'one node runs an old one',
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberAvailable: 3 },
      ready: false,
    },
    { ...apps, kind: 'DaemonSet', reason: 'it is not scheduled yet', status: { observedGeneration: 2 }, ready: false },
    { ...apps, kind: 'ReplicaSet', reason: 'replicas are ready', status: rolledOut, ready: true },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      reason: 'it completed',
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
      ready: true,
    },
    { apiVersion: 'batch/v1', kind: 'Job', reason: 'it still runs', status: {}, ready: false },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      reason: 'it failed',
      status: { conditions: [{ type: 'Failed', status: 'True', message: 'BackoffLimitExceeded' }] },
      ready: false,
    },
    { ...core, kind: 'Pod', reason: 'its work is done', status: { phase: 'Succeeded' }, ready: true },
    {
      ...core,
      kind: 'Pod',
      reason: 'it serves',
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
      ready: true,
    },
    { ...core, kind: 'Pod', reason: 'it starts', status: { phase: 'Pending' }, ready: false },
    {
      ...core,
      kind: 'Service',
      reason: 'a cluster address needs nothing more',
      spec: { type: 'ClusterIP' },
      ready: true,
    },
    { ...core, kind: 'Service', reason: 'the balancer has no address', spec: { type: 'LoadBalancer' }, ready: false },
    {
      ...core,
      kind: 'Service',
      reason: 'the balancer has an address',
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ hostname: 'lb' }] } },
      ready: true,
    },
    { ...core, kind: 'PersistentVolumeClaim', reason: 'it is bound', status: { phase: 'Bound' }, ready: true },
    {
      ...core,
      kind: 'PersistentVolumeClaim',
      reason: 'it waits for a volume',
      status: { phase: 'Pending' },
      ready: false,
    },
    { ...core, kind: 'Namespace', reason: 'it is active', status: { phase: 'Active' }, ready: true },
    { ...core, kind: 'Namespace', reason: 'it is going', status: { phase: 'Terminating' }, ready: false },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      reason: 'its kind is served',
      status: { conditions: [{ type: 'Established', status: 'True' }] },
      ready: true,
    },
    { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', reason: 'it is new', ready: false },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      reason: 'its server does not answer',
      status: { conditions: [{ type: 'Available', status: 'False', message: 'no endpoints' }] },
      ready: false,
    },
    { ...core, kind: 'ConfigMap', reason: 'it exists', ready: true },
    {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      reason: 'a kind without conditions exists',
      status: {},
      ready: true,
    },
    {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      reason: 'it says so itself',
      status: { conditions: [{ type: 'Ready', status: 'False', message: 'booting' }] },
      ready: false,
    },
  ])('$kind: ready is $ready when $reason', (row) => {
    expect(isReady(object(row)).ready).toBe(row.ready);
  });

  it('is never ready while being deleted', () => {
    const pod = object({ ...core, kind: 'ConfigMap', reason: '', ready: false });
    pod.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';

    expect(isReady(pod)).toEqual({ ready: false, message: 'is being deleted' });
  });

  it("passes on the object's own word on why it is not ready", () => {
    const row = { apiVersion: 'example.com/v1', kind: 'Widget', reason: '', ready: false };
    const status = { conditions: [{ type: 'Ready', status: 'False', message: 'Waiting for a disk' }] };

    expect(isReady(object({ ...row, status }))).toEqual({ ready: false, message: 'Waiting for a disk' });
  });
});

describe('pods that are refused', () => {
  const message = 'pods "x" is forbidden: exceeded quota: small';
  const refused = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message };
  const stuck = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' };

  it.each(['Deployment', 'ReplicaSet'])('are why a %s is not ready, rather than how many lack', (kind) => {
    const status = { ...rolledOut, availableReplicas: 0, readyReplicas: 0, conditions: [stuck, refused] };
    const row = { ...apps, kind, reason: message, status, ready: false };
    expect(isReady(object(row))).toEqual({ ready: false, message });
    const whole = { ...row, status: { ...rolledOut, conditions: [refused] } };
    expect(isReady(object(whole))).toEqual({ ready: true });
  });
});
