import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { applyManifests, findDrift, removeInventory } from './apply-manifests.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';
import { inventoryOf } from './inventory.js';

const manifests: Manifest[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'apps' }, data: { key: 'one' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password', namespace: 'apps' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
];
const options = { fieldManager: 'crate', signal: new AbortController().signal, patienceMs: 0 };
const [settings] = manifests as [Manifest];

let cluster: InMemoryTargetCluster;
beforeEach(() => {
  cluster = new InMemoryTargetCluster();
});

describe('applyManifests', () => {
  it('applies namespaces first', async () => {
    await applyManifests(cluster, manifests, options);

    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply ConfigMap settings', 'apply Secret password']);
  });

  it('writes nothing the second time', async () => {
    await applyManifests(cluster, manifests, options);
    cluster.writes.length = 0;
    await applyManifests(cluster, manifests, options);

    expect(cluster.writes).toEqual([]);
  });

  it('does not go on to instances of a kind that is not established', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'w' } };

    await expect(applyManifests(cluster, [...manifests, crd], options)).rejects.toMatchObject({ code: 'Timeout' });
    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply CustomResourceDefinition w']);
  });

  it('goes on once it is', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'w' } };
    cluster.statusOnApply.set('CustomResourceDefinition', { conditions: [{ type: 'Established', status: 'True' }] });
    await applyManifests(cluster, [...manifests, crd], options);

    expect(cluster.writes).toHaveLength(4);
  });
});

describe('findDrift', () => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'apps' };
  beforeEach(() => applyManifests(cluster, manifests, options));

  it('finds none in what was just applied, and writes nothing', async () => {
    cluster.writes.length = 0;

    expect(await findDrift(cluster, manifests, options)).toEqual([]);
    expect(cluster.writes).toEqual([]);
  });

  it('finds what somebody changed', async () => {
    cluster.interfere(ref, (object) => ({ ...object, data: { key: 'two' } }));

    expect(await findDrift(cluster, manifests, options)).toEqual([settings]);
  });

  it('finds what somebody removed', async () => {
    cluster.interfere(ref);

    expect(await findDrift(cluster, manifests, options)).toEqual([settings]);
  });

  it('takes status and fields that others added for no drift', async () => {
    cluster.interfere(ref, (object) => ({ ...object, status: { seen: true }, immutable: false }));

    expect(await findDrift(cluster, manifests, options)).toEqual([]);
  });
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
});
