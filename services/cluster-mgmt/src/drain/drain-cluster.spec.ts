import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { drainCluster, type Drained } from './drain-cluster.js';

const MANAGER = { fieldManager: 'test' };

let target: InMemoryTargetCluster;
beforeEach(async () => {
  target = new InMemoryTargetCluster();
  await have({ kind: 'Namespace', metadata: { name: 'shop' } });
});

async function have(...objects: readonly Partial<Manifest>[]): Promise<void> {
  for (const object of objects) await target.applyObject({ apiVersion: 'v1', ...object } as Manifest, MANAGER);
  target.writes.length = 0;
}

function drain(): Promise<Drained> {
  return drainCluster(target, new AbortController().signal);
}

const balancer = {
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { type: 'LoadBalancer' },
  status: { loadBalancer: { ingress: [{ hostname: 'web.elb.example' }] } },
};
const claim = (name: string, volumeName?: string): Partial<Manifest> => ({
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop' },
  spec: volumeName === undefined ? {} : { volumeName },
});
const volume = (name: string, policy: string): Partial<Manifest> => ({
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    persistentVolumeReclaimPolicy: policy,
    claimRef: { namespace: 'shop', name: 'data' },
    csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` },
  },
});
const pod = (name: string, owner?: { readonly kind: string; readonly name: string }): Partial<Manifest> => ({
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    ...(owner ? { ownerReferences: [{ apiVersion: 'apps/v1', uid: '1', controller: true, ...owner }] } : {}),
  },
  spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
});

describe('draining a cluster', () => {
  it('lets nothing new come, in every namespace, before it looks, and writes nothing the second time', async () => {
    await have({ kind: 'Namespace', metadata: { name: 'empty' } });
    expect(await drain()).toEqual({ left: [], kept: [] });
    expect(target.writes).toEqual(['apply ResourceQuota crate-deletion', 'apply ResourceQuota crate-deletion']);

    target.writes.length = 0;
    await drain();
    expect(target.writes).toEqual([]);
  });

  it('deletes Services with load balancers and leaves other Services', async () => {
    await have(balancer, { kind: 'Service', metadata: { name: 'db', namespace: 'shop' }, spec: { type: 'ClusterIP' } });
    expect((await drain()).left).toEqual([]);
    expect(target.contents()).toContain('Service db');
    expect(target.contents()).not.toContain('Service web');
  });

  it('says which load balancer is there still, in words that do not change', async () => {
    await have(balancer);
    target.stuckKinds.add('Service');
    const first = await drain();
    expect(first.left).toMatchObject([
      { kind: 'Service', name: 'shop/web', message: 'Its load balancer web.elb.example is not gone yet' },
    ]);
    target.writes.length = 0;
    expect(await drain()).toEqual(first);
    expect(target.writes).toEqual([]);
  });

  it('scales what uses a claim to nothing, at the end of the chain of owners', async () => {
    await have(
      claim('data', 'v1'),
      volume('v1', 'Delete'),
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'db', namespace: 'shop' }, spec: { replicas: 2 } },
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: 'db-1',
          namespace: 'shop',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'db', uid: '1', controller: true }],
        },
      },
      pod('db-1-a', { kind: 'ReplicaSet', name: 'db-1' }),
    );
    target.stuckKinds.add('PersistentVolumeClaim');
    const { left } = await drain();

    expect(target.writes).toEqual([
      'apply ResourceQuota crate-deletion',
      'remove PersistentVolumeClaim data',
      'apply Deployment db',
      'remove Pod db-1-a',
    ]);
    expect(left).toMatchObject([
      {
        kind: 'PersistentVolumeClaim',
        name: 'shop/data',
        reason: 'VolumeInUse',
        message: 'Its volume is used by pod db-1-a',
      },
      { kind: 'PersistentVolume', name: 'v1', reason: 'VolumeLeft', message: 'Volume vol-v1 is not gone yet' },
    ]);
  });

  it('deletes pods that nobody scales, and claims that have no volume yet', async () => {
    await have(claim('data'), pod('by-hand'));
    await drain();
    expect(target.contents().filter((name) => /^(Pod|PersistentVolumeClaim) /.test(name))).toEqual([]);
  });

  it('stops pods whose claims are made for them and go with them', async () => {
    const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: {} } }];
    const owner = { kind: 'StatefulSet', name: 'job' };
    await have(claim('job-0-scratch', 'v1'), volume('v1', 'Delete'), { ...pod('job-0', owner), spec: { volumes } });
    await have({ ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' }, metadata: { name: 'job', namespace: 'shop' } });
    await drain();
    expect(target.writes).toEqual([
      'apply ResourceQuota crate-deletion',
      'remove PersistentVolumeClaim job-0-scratch',
      'apply StatefulSet job',
      'remove Pod job-0',
    ]);
  });

  it('keeps volumes that are to outlive their claims, and names them', async () => {
    await have(claim('data', 'v1'), volume('v1', 'Retain'), pod('db'));
    expect(await drain()).toEqual({ left: [], kept: ['vol-v1'] });
    expect(target.contents()).toEqual(expect.arrayContaining(['PersistentVolumeClaim data', 'Pod db']));
  });
});
