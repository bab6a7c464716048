import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import {
  applyOrder,
  describeEntry,
  inventoryOf,
  mergeInventories,
  neededBy,
  pruneSet,
  removalOrder,
  statedAgain,
} from './inventory.js';

function manifest(kind: string, name: string, apiVersion = 'v1', namespace?: string): Manifest {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

const manifests = [
  manifest('ConfigMap', 'settings', 'v1', 'apps'),
  manifest('CustomResourceDefinition', 'widgets.example.com', 'apiextensions.k8s.io/v1'),
  manifest('Widget', 'w', 'example.com/v1'),
  manifest('Namespace', 'apps'),
];

describe('applyOrder', () => {
  it('puts what others live in or are instances of first, and keeps the rest as written', () => {
    expect(applyOrder(manifests).map(({ kind }) => kind)).toEqual([
      'Namespace',
      'CustomResourceDefinition',
      'ConfigMap',
      'Widget',
    ]);
  });

  it('takes the last of an object that is stated twice: one apply would undo the other', () => {
    const [first, ...others] = manifests as [Manifest, ...Manifest[]];
    const last = { ...first, data: { key: 'two' } };

    expect(applyOrder([first, ...others, last])).toEqual(applyOrder([last, ...others]));
  });
});

describe('statedAgain', () => {
  it('says which states the object of which before it', () => {
    const moved = manifest('Widget', 'w', 'example.com/v2');

    expect([...statedAgain([...manifests, moved, manifest('ConfigMap', 'settings', 'v1', 'other')])]).toEqual([[4, 2]]);
  });
});

describe('inventoryOf', () => {
  it('names every object once, in apply order', () => {
    const twice = [...manifests, manifest('ConfigMap', 'settings', 'v1', 'apps')];

    expect(inventoryOf(twice).map(describeEntry)).toEqual([
      'Namespace apps',
      'CustomResourceDefinition widgets.example.com',
      'ConfigMap apps/settings',
      'Widget w',
    ]);
  });
});

describe('pruneSet', () => {
  const before = inventoryOf(manifests);

  it('is what is no longer stated', () => {
    const after = inventoryOf(manifests.filter(({ kind }) => kind !== 'Widget'));

    expect(pruneSet(before, after).map(describeEntry)).toEqual(['Widget w']);
  });

  it('keeps an object that moved to another version of its API', () => {
    const moved = manifests.map((each) => (each.kind === 'Widget' ? { ...each, apiVersion: 'example.com/v2' } : each));

    expect(pruneSet(before, inventoryOf(moved))).toEqual([]);
  });

  it('tells kinds of different groups apart', () => {
    const other = manifests.map((each) => (each.kind === 'Widget' ? { ...each, apiVersion: 'other.io/v1' } : each));

    expect(pruneSet(before, inventoryOf(other)).map(({ apiVersion }) => apiVersion)).toEqual(['example.com/v1']);
  });
});

describe('neededBy', () => {
  it.each([
    {
      stated: manifest('Widget', 'w', 'example.com/v2'),
      want: ['CustomResourceDefinition widgets.example.com', 'Widget w'],
    },
    { stated: manifest('Secret', 's', 'v1', 'apps'), want: ['Namespace apps'] },
    { stated: manifest('ConfigMap', 'settings', 'v1', 'apps'), want: ['Namespace apps', 'ConfigMap apps/settings'] },
    { stated: manifest('ConfigMap', 'settings', 'v1', 'other'), want: [] },
    { stated: manifest('Widget', 'w', 'other.io/v1'), want: [] },
  ])('is what is stated, and what it lives in or is an instance of: $want', ({ stated, want }) => {
    expect(neededBy(inventoryOf([stated]), inventoryOf(manifests)).map(describeEntry)).toEqual(want);
  });
});

describe('mergeInventories', () => {
  it('holds everything that may exist while one set of objects turns into another', () => {
    const before = inventoryOf([manifest('ConfigMap', 'old'), manifest('ConfigMap', 'both')]);
    const after = inventoryOf([manifest('ConfigMap', 'both'), manifest('ConfigMap', 'new')]);

    expect(mergeInventories(before, after).map(({ name }) => name)).toEqual(['old', 'both', 'new']);
  });
});

describe('removalOrder', () => {
  it("goes backwards, and never takes the cluster's own namespaces", () => {
    const inventory = inventoryOf([manifest('Namespace', 'kube-system'), ...manifests]);

    expect(removalOrder(inventory).map(describeEntry)).toEqual([
      'Widget w',
      'ConfigMap apps/settings',
      'CustomResourceDefinition widgets.example.com',
      'Namespace apps',
    ]);
  });
});
