import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { JOB } from '../kinds/batch.js';
import { CONFIG_MAP, EVENT, NAMESPACE, NODE, SERVICE_ACCOUNT } from '../kinds/core.js';
import { POD } from '../kinds/pod.js';
import { ENDPOINTS } from '../kinds/service.js';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM } from '../kinds/storage.js';
import { CONTROLLER_REVISION, DAEMON_SET, DEPLOYMENT, REPLICA_SET, STATEFUL_SET } from '../kinds/workloads.js';
import { TestCluster } from '../testing/running-cluster.js';
import { FAULT_ANNOTATION } from './kubelet.reconciler.js';

const LABELS = { app: 'a' };

function workload(
  kind: string,
  spec: Readonly<Record<string, unknown>> = {},
  pod: Readonly<Record<string, unknown>> = {},
): Manifest {
  const { annotations, ...podSpec } = pod;
  const metadata = { labels: LABELS, ...(annotations ? { annotations } : {}) };
  const template = { metadata, spec: { containers: [{ name: 'c', image: 'nginx:1' }], ...podSpec } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: LABELS }, template, ...spec },
  };
}

describe('reconcilers', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await TestCluster.start();
  });
  afterEach(async () => {
    expect(cluster.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await cluster.stop();
  });

  const images = (): string[] => cluster.list(POD).map(({ spec }) => spec.containers[0]?.image ?? '');
  const setImage = (image: string): { readonly spec: object } => ({
    spec: { template: { spec: { containers: [{ name: 'c', image }] } } },
  });

  it('roll a Deployment over and keep the old template as history', async () => {
    await cluster.apply(workload('Deployment', { replicas: 4 }));
    await cluster.patch(DEPLOYMENT, 'a', setImage('nginx:2'));

    expect(images()).toEqual(Array.from({ length: 4 }, () => 'nginx:2'));
    expect(
      cluster
        .list(REPLICA_SET)
        .map(({ spec }) => spec.replicas)
        .sort(),
    ).toEqual([0, 4]);
    expect(cluster.get(DEPLOYMENT, 'a').status).toMatchObject({
      observedGeneration: 2,
      updatedReplicas: 4,
      availableReplicas: 4,
    });
  });

  it('keep no more history than a Deployment asks for', async () => {
    await cluster.apply(workload('Deployment', { revisionHistoryLimit: 1 }));
    for (const tag of [2, 3, 4]) await cluster.patch(DEPLOYMENT, 'a', setImage(`nginx:${tag}`));

    expect(cluster.list(REPLICA_SET)).toHaveLength(2);
  });

  it('leave a Deployment as it is while it is paused', async () => {
    await cluster.apply(workload('Deployment', { replicas: 2 }));
    await cluster.patch(DEPLOYMENT, 'a', { spec: { paused: true } });
    await cluster.patch(DEPLOYMENT, 'a', setImage('nginx:2'));
    expect(images()).toEqual(['nginx:1', 'nginx:1']);
    await cluster.patch(DEPLOYMENT, 'a', { spec: { paused: false } });
    expect(images()).toEqual(['nginx:2', 'nginx:2']);
  });

  it('replace pods that were deleted, and delete pods with their workload', async () => {
    await cluster.apply(workload('Deployment', { replicas: 2 }));
    const [first] = cluster.list(POD);
    await cluster.remove(POD, first?.metadata.name ?? '');
    expect(cluster.list(POD)).toHaveLength(2);
    await cluster.remove(DEPLOYMENT, 'a');
    expect([...cluster.list(POD), ...cluster.list(REPLICA_SET)]).toEqual([]);
  });

  it('say that a Deployment is not available while its pods cannot start', async () => {
    const annotations = { [FAULT_ANNOTATION]: 'ImagePullBackOff' };
    await cluster.apply(workload('Deployment', {}, { annotations }));

    expect(cluster.get(DEPLOYMENT, 'a').status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' }),
    );
    expect(cluster.list(POD)[0]?.status?.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'ImagePullBackOff' } },
    });
  });

  it('put a daemon on every node that takes it, now and later', async () => {
    await cluster.patch(NODE, 'worker-1', { spec: { taints: [{ key: 'only', value: 'x', effect: 'NoSchedule' }] } });
    await cluster.apply(workload('DaemonSet'));
    expect(cluster.list(POD).map(({ spec }) => spec.nodeName)).toEqual(['worker-0']);

    await cluster.patch(NODE, 'worker-1', { spec: { taints: null } });
    expect(
      cluster
        .list(POD)
        .map(({ spec }) => spec.nodeName)
        .sort(),
    ).toEqual(['worker-0', 'worker-1']);
    await cluster.patch(DAEMON_SET, 'a', setImage('nginx:2'));
    expect(images()).toEqual(['nginx:2', 'nginx:2']);
    expect(cluster.get(DAEMON_SET, 'a').status).toMatchObject({ numberReady: 2, updatedNumberScheduled: 2 });
  });

  it('number the pods of a StatefulSet and keep their claims', async () => {
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await cluster.apply(workload('StatefulSet', { replicas: 2, serviceName: 'a', volumeClaimTemplates: [claim] }));
    expect(cluster.list(POD).map(({ metadata, spec }) => [metadata.name, spec.nodeName])).toEqual([['a-0', undefined]]);
    expect(cluster.list(EVENT)[0]?.message).toContain('unbound immediate PersistentVolumeClaims');

    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    await cluster.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast', annotations },
      provisioner: 'p',
    });
    expect(
      cluster
        .list(POD)
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['a-0', 'a-1']);
    expect(cluster.list(PERSISTENT_VOLUME_CLAIM).map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);

    await cluster.patch(STATEFUL_SET, 'a', { spec: { replicas: 1 } });
    await cluster.patch(STATEFUL_SET, 'a', setImage('nginx:2'));
    expect(cluster.list(POD).map(({ metadata }) => metadata.name)).toEqual(['a-0']);
    expect(images()).toEqual(['nginx:2']);
    expect(cluster.list(PERSISTENT_VOLUME_CLAIM)).toHaveLength(2);
    await cluster.remove(PERSISTENT_VOLUME_CLAIM, 'data-a-1');
    expect(cluster.list(PERSISTENT_VOLUME)).toHaveLength(1);
  });

  describe('give a new template to the pods from its partition on', () => {
    const partition = (value: number): object => ({ updateStrategy: { rollingUpdate: { partition: value } } });
    const imageOf = (name: string): unknown => cluster.get(POD, name).spec.containers[0]?.image;
    const revisions = (): Record<string, number> =>
      Object.fromEntries(cluster.list(CONTROLLER_REVISION).map(({ metadata, revision }) => [metadata.name, revision]));

    beforeEach(async () => {
      await cluster.apply(workload('StatefulSet', { replicas: 3, podManagementPolicy: 'Parallel', ...partition(2) }));
      await cluster.patch(STATEFUL_SET, 'a', setImage('nginx:2'));
    });

    it('and to no other, also when those are made anew', async () => {
      expect(['a-0', 'a-1', 'a-2'].map(imageOf)).toEqual(['nginx:1', 'nginx:1', 'nginx:2']);
      await cluster.remove(POD, 'a-1');
      await cluster.remove(POD, 'a-2');

      expect(['a-0', 'a-1', 'a-2'].map(imageOf)).toEqual(['nginx:1', 'nginx:1', 'nginx:2']);
      const { status } = cluster.get(STATEFUL_SET, 'a');
      expect(status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1, readyReplicas: 3 });
      expect(status?.currentRevision).not.toBe(status?.updateRevision);
      expect(Object.values(revisions())).toEqual([1, 2]);
    });

    it('and to all of them when there is none any more', async () => {
      await cluster.patch(STATEFUL_SET, 'a', { spec: partition(0) });

      expect(images()).toEqual(['nginx:2', 'nginx:2', 'nginx:2']);
      const { status } = cluster.get(STATEFUL_SET, 'a');
      expect(status).toMatchObject({ currentReplicas: 3, currentRevision: status?.updateRevision });
    });

    it('and back the template from before, which is the newest revision then', async () => {
      const before = revisions();
      const kept = cluster.get(POD, 'a-0').metadata.uid;
      await cluster.patch(STATEFUL_SET, 'a', { spec: { ...partition(0), ...setImage('nginx:1').spec } });

      expect(images()).toEqual(['nginx:1', 'nginx:1', 'nginx:1']);
      expect(cluster.get(POD, 'a-0').metadata.uid).toBe(kept);
      const { currentRevision = '' } = cluster.get(STATEFUL_SET, 'a').status ?? {};
      expect([before[currentRevision], revisions()[currentRevision]]).toEqual([1, 3]);
    });

    it('and keep no more revisions than asked for', async () => {
      await cluster.patch(STATEFUL_SET, 'a', { spec: { ...partition(0), revisionHistoryLimit: 1 } });
      for (const tag of [3, 4, 5]) await cluster.patch(STATEFUL_SET, 'a', setImage(`nginx:${tag}`));
      expect(Object.values(revisions())).toEqual([4, 5]);
    });
  });

  it('complete jobs and take finished ones away in time', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox:1' }] } };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a' },
      spec: { completions: 3, parallelism: 2, template },
    };
    await cluster.apply(job);
    expect(cluster.get(JOB, 'a').status).toMatchObject({ succeeded: 3, conditions: expect.anything() as unknown });
    expect(cluster.list(POD).map(({ status }) => status?.phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);

    await cluster.patch(JOB, 'a', { spec: { ttlSecondsAfterFinished: 0 } });
    expect([...cluster.list(JOB), ...cluster.list(POD)]).toEqual([]);
  });

  it('list behind a service the pods that are ready', async () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { selector: LABELS, ports: [{ port: 80, targetPort: 8080 }] },
    };
    await cluster.apply(service, workload('Deployment', { replicas: 2 }));
    const subset = (): Readonly<Record<string, unknown>> => cluster.get(ENDPOINTS, 'a').subsets?.[0] ?? {};
    expect(subset()).toMatchObject({ addresses: [{}, {}], ports: [{ port: 8080, protocol: 'TCP' }] });

    await cluster.patch(DEPLOYMENT, 'a', { spec: { replicas: 0 } });
    expect(cluster.get(ENDPOINTS, 'a').subsets).toEqual([]);
  });

  it('spread pods, and leave full nodes alone', async () => {
    const resources = { requests: { cpu: '800m' } };
    await cluster.apply(
      workload('Deployment', { replicas: 5 }, { containers: [{ name: 'c', image: 'nginx:1', resources }] }),
    );
    const nodes = cluster.list(POD).map(({ spec }) => spec.nodeName ?? 'nowhere');

    expect(nodes.sort()).toEqual(['nowhere', 'worker-0', 'worker-0', 'worker-1', 'worker-1']);
    expect(cluster.list(EVENT)[0]?.message).toBe('0/2 nodes are available: 2 Insufficient cpu.');
    await cluster.patch(DEPLOYMENT, 'a', { spec: { replicas: 4 } });
    expect(cluster.list(POD).every(({ spec }) => spec.nodeName !== undefined)).toBe(true);
  });

  it('move pods away from nodes that are deleted', async () => {
    await cluster.apply(workload('Deployment', { replicas: 4 }));
    await cluster.remove(NODE, 'worker-0');

    expect(cluster.list(POD).map(({ spec }) => spec.nodeName)).toEqual(Array.from({ length: 4 }, () => 'worker-1'));
  });

  it('give namespaces their account and authority, and put them back', async () => {
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await cluster.remove(SERVICE_ACCOUNT, 'default', 'team');
    await cluster.remove(CONFIG_MAP, 'kube-root-ca.crt', 'team');

    expect(cluster.get(SERVICE_ACCOUNT, 'default', 'team')).toBeDefined();
    expect(cluster.get(CONFIG_MAP, 'kube-root-ca.crt', 'team').data).toEqual({ 'ca.crt': 'ca' });
    await cluster.remove(NAMESPACE, 'team');
    expect(cluster.list(NAMESPACE).map(({ metadata }) => metadata.name)).not.toContain('team');
  });

  it('write nothing when they look at everything again', async () => {
    await cluster.apply(workload('Deployment', { replicas: 3 }), workload('DaemonSet', {}, {}));
    const { store } = cluster.running.scope;
    const before = await store.currentRevision();
    cluster.running.lookAtNodes(['worker-0', 'worker-1']);
    cluster.running.lookAtNamespaces();
    await cluster.running.settled();

    expect(await store.currentRevision()).toBe(before);
  });
});
