import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { forbidden } from '@crate/errors';
import { applyManifests } from './apply-manifests.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';
import { inventoryOf } from './inventory.js';
import { removeInventory } from './remove-inventory.js';

const manifests: Manifest[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'apps' }, data: { key: 'one' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password', namespace: 'apps' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
];
const options = { fieldManager: 'crate', signal: new AbortController().signal, patienceMs: 0 };

let cluster: InMemoryTargetCluster;
beforeEach(() => {
  cluster = new InMemoryTargetCluster();
});

describe('removeInventory', () => {
  const inventory = inventoryOf(manifests);
  beforeEach(async () => {
    await applyManifests(cluster, manifests, options);
    cluster.writes.length = 0;
  });

  it('goes backwards until nothing is left', async () => {
    expect(await removeInventory(cluster, inventory, options)).toEqual([]);
    expect(cluster.writes).toEqual(['remove Secret password', 'remove ConfigMap settings', 'remove Namespace apps']);
    expect(cluster.contents()).toEqual([]);
  });

  it('touches nothing that an object still there may need, and says what is left', async () => {
    cluster.stuckKinds.add('ConfigMap');
    const left = await removeInventory(cluster, inventory, options);

    expect(left.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Namespace']);
    expect(cluster.contents()).toEqual(['ConfigMap settings', 'Namespace apps']);
  });

  it('passes over what is refused where that is said, and gives it back', async () => {
    const refusal = forbidden('A policy keeps it');
    const remove = cluster.remove.bind(cluster);
    cluster.remove = (ref) => (ref.kind === 'Secret' ? Promise.reject(refusal) : remove(ref));
    const left = await removeInventory(cluster, inventory, { ...options, passesOver: (error) => error === refusal });

    expect(left.map(({ kind }) => kind)).toEqual(['Secret']);
    expect(cluster.contents()).toEqual(['Secret password']);
    await expect(removeInventory(cluster, inventory, options)).rejects.toBe(refusal);
    await expect(removeInventory(cluster, inventory, { ...options, passesOver: () => false })).rejects.toBe(refusal);
  });

  it('asks for nothing more once it is over, and gives back what is left', async () => {
    const left = await removeInventory(cluster, inventory, { ...options, isOver: () => cluster.writes.length > 0 });

    expect(left.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Namespace']);
    expect(cluster.writes).toEqual(['remove Secret password']);
  });

  it('is done with an object that a controller makes anew, such as the default ServiceAccount', async () => {
    cluster.recreatedKinds.add('ConfigMap');

    expect(await removeInventory(cluster, inventory, options)).toEqual([]);
    expect(cluster.contents()).toEqual(['ConfigMap settings']);
  });

  it('can be called again until it is done', async () => {
    cluster.stuckKinds.add('ConfigMap');
    const left = await removeInventory(cluster, inventory, options);
    cluster.stuckKinds.clear();

    expect(await removeInventory(cluster, left.toReversed(), options)).toEqual([]);
    expect(await removeInventory(cluster, inventory, options)).toEqual([]);
  });

  it('leaves what is stated under another name, and goes on', async () => {
    const found = cluster.find.bind(cluster);
    const unqualified = inventory.map((entry) => (entry.kind === 'ConfigMap' ? { ...entry, namespace: '' } : entry));
    cluster.find = (ref) => found(ref.namespace === '' ? { ...ref, namespace: 'apps' } : ref);
    const stated = inventory.filter(({ kind }) => kind === 'ConfigMap');

    expect(await removeInventory(cluster, unqualified, { ...options, stated })).toEqual([]);
    expect(cluster.contents()).toEqual(['ConfigMap settings']);
  });
});
