import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CallError } from '../../cloud/aws/aws-error.js';
import { POD } from '../kinds/pod.js';
import { SERVICE } from '../kinds/service.js';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM } from '../kinds/storage.js';
import { DAEMON_SET, DEPLOYMENT } from '../kinds/workloads.js';
import { FakeClusterCloud } from '../testing/fake-cluster-cloud.js';
import { TestCluster } from '../testing/running-cluster.js';

const PORTS = [{ port: 80, nodePort: 30_080 }];
const STORAGE_CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'gp3' },
  provisioner: 'ebs.csi.aws.com',
};
const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: { requests: { storage: '10Gi' } } },
};
const USER = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'db' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: {
        containers: [{ name: 'c', image: 'postgres:18' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    },
  },
};

const LABELS = { 'k8s-app': 'aws-cloud-controller-manager' };
const CONTROLLER = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'aws-cloud-controller-manager', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'controller:1' }] } },
  },
};
const WEB = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { type: 'LoadBalancer', ports: PORTS },
};

describe('objects of the cloud behind a cluster', () => {
  const cloud = new FakeClusterCloud();
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await TestCluster.start(cloud);
  });
  afterEach(async () => {
    cloud.refusal = undefined;
    await cluster.stop();
  });

  it('are no load balancers of Services until somebody installs a controller for them', async () => {
    await cluster.apply(WEB);
    expect(cloud.balancers.size).toBe(0);
    expect(cluster.get(SERVICE, 'web').status?.loadBalancer?.ingress ?? []).toEqual([]);
    expect(cluster.get(SERVICE, 'web').metadata.finalizers ?? []).toEqual([]);

    await cluster.apply(CONTROLLER);
    expect([...cloud.balancers.values()]).toMatchObject([{ service: 'web' }]);
    await cluster.remove(SERVICE, 'web');
    expect(cloud.balancers.size).toBe(0);
  });

  it('are load balancers of Services, which go before their Services do', async () => {
    await cluster.apply(CONTROLLER, WEB);
    expect([...cloud.balancers.values()]).toMatchObject([{ namespace: 'default', service: 'web', ports: PORTS }]);
    expect(cluster.get(SERVICE, 'web').status?.loadBalancer).toEqual({ ingress: [{ hostname: 'web.elb.example' }] });

    cloud.refusal = new CallError('DependencyViolation');
    await cluster.startRemoval(SERVICE, 'web');
    expect(cluster.get(SERVICE, 'web').metadata.deletionTimestamp).toBeDefined();
    cloud.refusal = undefined;
    await cluster.running.settled();
    expect(cluster.list(SERVICE).map(({ metadata }) => metadata.name)).not.toContain('web');
    expect(cloud.balancers.size).toBe(0);
  });

  it('are load balancers of Services that go with them, also when the controller is gone', async () => {
    await cluster.apply(CONTROLLER, WEB);
    await cluster.remove(DAEMON_SET, CONTROLLER.metadata.name, CONTROLLER.metadata.namespace);
    expect(cloud.balancers.size).toBe(1);

    await cluster.remove(SERVICE, 'web');
    expect(cluster.list(SERVICE).map(({ metadata }) => metadata.name)).not.toContain('web');
    expect(cloud.balancers.size).toBe(0);
  });

  it('come no more where a quota says so', async () => {
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard: { 'services.loadbalancers': '0', persistentvolumeclaims: '0' } },
    });
    await expect(cluster.create(SERVICE, { spec: { type: 'LoadBalancer', ports: PORTS } })).rejects.toThrow(
      'exceeded quota: none, requested: services.loadbalancers=1, used: services.loadbalancers=0',
    );
    await expect(cluster.create(PERSISTENT_VOLUME_CLAIM, CLAIM)).rejects.toThrow('exceeded quota: none');
    await cluster.create(SERVICE, { metadata: { name: 'inner' }, spec: { ports: PORTS } });
    await expect(cluster.patch(SERVICE, 'inner', { spec: { type: 'LoadBalancer' } })).rejects.toThrow('exceeded quota');
  });

  it('are volumes of claims, which pods hold on to', async () => {
    await cluster.apply(STORAGE_CLASS, CLAIM, USER);
    expect(cluster.get(PERSISTENT_VOLUME_CLAIM, 'data').status?.phase).toBe('Bound');
    expect([...cloud.volumes.values()]).toMatchObject([{ claim: 'data', sizeGiB: 10 }]);

    await cluster.remove(PERSISTENT_VOLUME_CLAIM, 'data');
    expect(cluster.list(PERSISTENT_VOLUME_CLAIM)).toHaveLength(1);
    expect(cloud.volumes.size).toBe(1);

    await cluster.patch(DEPLOYMENT, 'db', { spec: { replicas: 0 } });
    expect(cluster.list(POD).filter(({ metadata }) => metadata.namespace === 'default')).toEqual([]);
    expect(cluster.list(PERSISTENT_VOLUME_CLAIM)).toEqual([]);
    expect(cluster.list(PERSISTENT_VOLUME)).toEqual([]);
    expect(cloud.volumes.size).toBe(0);
  });
});
