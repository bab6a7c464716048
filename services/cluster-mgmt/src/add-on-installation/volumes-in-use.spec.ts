import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { TargetRef } from '@crate/kubernetes';
import { AddOnBench } from '../testing/add-on-bench.js';
import { installationSpec } from '../testing/builders.js';

const STORAGE = 'storage.k8s.io/v1';
const PACKAGE: readonly Manifest[] = [
  { apiVersion: STORAGE, kind: 'CSIDriver', metadata: { name: 'ebs.example' } },
  { apiVersion: STORAGE, kind: 'StorageClass', metadata: { name: 'fast' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'node', namespace: 'kube-system' } },
];
const SILENCE = new PlatformError('Unavailable', 'Nobody answers', { details: { reason: 'ConnectionDown' } });

function volume(name: string, driver = 'ebs.example'): Manifest {
  const spec = { csi: { driver }, claimRef: { namespace: 'shop', name: 'orders' } };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
}

let bench: AddOnBench;
beforeEach(async () => {
  bench = new AddOnBench();
  await bench.createCluster();
  await bench.create(installationSpec(PACKAGE));
  await bench.pass();
  bench.target.writes.length = 0;
});

async function provision(...volumes: readonly Manifest[]): Promise<void> {
  for (const each of volumes) await bench.target.applyObject(each, { fieldManager: 'provisioner' });
  bench.target.writes.length = 0;
}

describe('removing a driver of volumes', () => {
  it('waits while there are volumes of it, and says which and what to do', async () => {
    await provision(volume('pv-1'), volume('pv-2', 'other.example'));
    await bench.requestDeletion();

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'VolumesInUse' });
    expect(bench.target.writes).toEqual([]);
    expect((await bench.read()).status?.deletion?.blockers).toMatchObject([
      {
        ...{ kind: 'PersistentVolume', name: 'pv-1', reason: 'VolumesInUse' },
        message: 'Is a volume of ebs.example, claimed by shop/orders',
        remedy:
          'Save what is in it and delete the claim; the driver stays until then: kubectl delete pvc orders -n shop',
      },
    ]);

    await bench.target.remove({ apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv-1' });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual(['PersistentVolume pv-2']);
  });

  it('takes nothing away while nobody says whether there are volumes', async () => {
    await provision(volume('pv-1'));
    await bench.requestDeletion();
    const list = bench.target.list.bind(bench.target);
    bench.target.list = () => Promise.reject(SILENCE);

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
    expect(bench.target.writes).toEqual([]);
    bench.target.list = list;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'VolumesInUse' });
    expect(bench.target.writes).toEqual([]);
  });

  it('takes its classes away first, and stays whole when a volume was made until then', async () => {
    await bench.requestDeletion();
    const remove = bench.target.remove.bind(bench.target);
    bench.target.remove = async (ref: TargetRef) => {
      await bench.target.applyObject(volume('pv-1'), { fieldManager: 'provisioner' });
      return remove(ref);
    };

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'VolumesInUse' });
    expect(bench.target.contents()).toEqual(['CSIDriver ebs.example', 'ConfigMap node', 'PersistentVolume pv-1']);
    expect((await bench.read()).status?.inventory).toHaveLength(2);

    await remove({ apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv-1' });
    bench.target.remove = remove;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual([]);
  });

  it('is whole while one of its classes does not go', async () => {
    await bench.requestDeletion();
    bench.target.stuckKinds.add('StorageClass');
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForObjectsToGo' });
    expect((await bench.read()).status?.progress).toEqual({ step: 0, steps: 3, message: 'StorageClass fast' });
    await provision(volume('pv-1'));

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'VolumesInUse' });
    expect(bench.target.contents()).toContain('ConfigMap node');
  });

  it('goes on with what it has begun to take away, since half a driver is of no use to a volume', async () => {
    await bench.requestDeletion();
    bench.target.stuckKinds.add('ConfigMap');
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForObjectsToGo' });
    await provision(volume('pv-1'));
    bench.target.interfere({ apiVersion: 'v1', kind: 'ConfigMap', name: 'node', namespace: 'kube-system' });

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual(['PersistentVolume pv-1']);
  });

  it('leaves it whole in a cluster that goes, which needs it to take its volumes away, until that is gone', async () => {
    await bench.setSpec({ ...installationSpec(PACKAGE), removal: 'WithCluster' });
    await provision(volume('pv-1'));
    await bench.requestDeletion();
    expect(await bench.pass()).toMatchObject({ reason: 'VolumesInUse' });
    await bench.beginClusterDeletion();
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForClusterRemoval' });
    await bench.target.remove({ apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv-1' });
    bench.target.writes.length = 0;
    bench.target.isDown = true;
    bench.nowMs += 86_400_000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForClusterRemoval' });
    expect((await bench.read()).status?.deletion?.blockers).toEqual([]);
    expect(bench.target.writes).toEqual([]);

    await bench.local.clusters.merge('demo', 'team-a', { metadata: { finalizers: [] } });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('takes one that is to go first along with a cluster that goes', async () => {
    await provision(volume('pv-1'));
    await bench.beginClusterDeletion();
    await bench.requestDeletion();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });
});
