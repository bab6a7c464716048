import { beforeEach, describe, expect, it } from '@jest/globals';
import { FORCE_ANNOTATION, FORCED_ANNOTATION, type Manifest } from '@crate/api';
import { notFound } from '@crate/errors';
import { AddOnBench } from '../testing/add-on-bench.js';
import { installationSpec } from '../testing/builders.js';

const [ONE, OTHER] = ['demo-docs', 'demo-other'];
const CRD_OF_WIDGETS = 'CustomResourceDefinition widgets.example.com';

const apps: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } };
const settings = (name: string): Manifest => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'apps' }, data: {} },
});
const crd: Manifest = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'widgets.example.com' },
};
const widget: Manifest = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: {} };

let bench: AddOnBench;
beforeEach(async () => {
  bench = new AddOnBench();
  bench.target.statusOnApply.set('CustomResourceDefinition', { conditions: [{ type: 'Established', status: 'True' }] });
  await bench.createCluster();
});

async function install(name: string, ...manifests: readonly Manifest[]): Promise<void> {
  await bench.create(installationSpec(manifests), undefined, name);
  await pass(name);
}

async function pass(name: string): Promise<void> {
  expect(await bench.pass(undefined, undefined, name)).toEqual({ kind: 'settled' });
}

async function remove(name: string): Promise<void> {
  await bench.requestDeletion(name);
  await pass(name);
}

async function force(name: string): Promise<void> {
  const annotations = { [FORCE_ANNOTATION]: 'Broken', [FORCED_ANNOTATION]: '2026-01-01T00:00:00Z ada' };
  await bench.local.installations.merge(name, 'team-a', { metadata: { annotations } });
}

async function inventory(name: string): Promise<readonly string[]> {
  return ((await bench.read(name)).status?.inventory ?? []).map((entry) => `${entry.kind} ${entry.name}`);
}

describe('an object that two add-ons of a cluster state', () => {
  beforeEach(async () => {
    await install(ONE, apps, settings('one'));
    await install(OTHER, apps, settings('other'));
  });

  it('stays when one of them goes, and goes with the other', async () => {
    await remove(ONE);
    expect(bench.target.contents()).toEqual(['ConfigMap other', 'Namespace apps']);
    expect(bench.policies.forgotten.map(({ name }) => name)).toEqual(['apps/one']);

    await remove(OTHER);
    expect(bench.target.contents()).toEqual([]);
  });

  it('stays when one of them states it no longer', async () => {
    await bench.setSpec(installationSpec([]), ONE);
    await pass(ONE);
    expect(bench.target.contents()).toEqual(['ConfigMap other', 'Namespace apps']);
    expect(await inventory(ONE)).toEqual([]);
  });

  it('goes when both go at the same time', async () => {
    await bench.requestDeletion(ONE);
    await bench.requestDeletion(OTHER);
    await pass(ONE);
    await pass(OTHER);
    expect(bench.target.contents()).toEqual([]);
  });

  it('is no business of an add-on of another cluster', async () => {
    await bench.setSpec({ ...installationSpec([apps]), clusterRef: { name: 'another' } }, OTHER);
    await remove(ONE);
    expect(bench.target.contents()).not.toContain('Namespace apps');
  });

  it('is told to be contested when they state it differently, once somebody sets it back', async () => {
    const labelled = { ...apps, metadata: { ...apps.metadata, labels: { stage: 'prod' } } };
    await bench.setSpec(installationSpec([labelled, settings('one')]), ONE);
    await pass(ONE);
    expect(bench.events.events.filter(({ reason }) => reason === 'ObjectContested')).toMatchObject([
      {
        type: 'Warning',
        message: expect.stringContaining('Namespace apps by AddOnInstallation demo-other') as unknown,
      },
    ]);
  });
});

describe('an object that another add-on needs', () => {
  it.each([
    { name: 'a namespace that its objects live in', ground: apps, on: settings('other'), left: 'Namespace apps' },
    { name: 'a CRD that its objects are instances of', ground: crd, on: widget, left: CRD_OF_WIDGETS },
  ])('is handed over to it: $name', async ({ ground, on, left }) => {
    await install(ONE, ground);
    await install(OTHER, on);
    await remove(ONE);
    expect(bench.target.contents()).toContain(left);
    await pass(OTHER);
    expect(await inventory(OTHER)).toContain(left);

    await remove(OTHER);
    expect(bench.target.contents()).toEqual([]);
  });

  it('is handed over to one that states it and may not apply it yet: it is there all along, and goes with that one', async () => {
    await install(ONE, crd, widget);
    await bench.create(installationSpec([crd, widget]), undefined, OTHER);
    bench.policies.answer = { allowed: false, violations: [] };
    bench.target.interfere({ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' });
    await expect(bench.pass(undefined, undefined, OTHER)).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await inventory(OTHER)).toEqual([]);

    await remove(ONE);
    expect(bench.target.contents()).toEqual([CRD_OF_WIDGETS]);
    await remove(OTHER);
    expect(bench.target.contents()).toEqual([]);
  });
});

describe('an object that a driver needs whose deletion waits for its volumes', () => {
  const driver: Manifest = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'ebs.csi' },
    spec: {},
  };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv-1' };
  beforeEach(async () => {
    await install(ONE, apps, settings('one'));
    await install(OTHER, driver, settings('other'));
    const manifest = { ...volume, metadata: { name: volume.name }, spec: { csi: { driver: 'ebs.csi' } } };
    await bench.target.applyObject(manifest, { fieldManager: 'test' });
    await bench.requestDeletion(OTHER);
  });

  it.each([
    { reason: 'as its driver says', passes: 1 },
    { reason: 'as nobody knows yet', passes: 0 },
  ])('stays as long as the driver does, $reason, and goes then', async ({ passes }) => {
    if (passes > 0) await bench.pass(undefined, undefined, OTHER);
    await bench.requestDeletion(ONE);
    expect(await bench.pass(undefined, undefined, ONE)).toMatchObject({ reason: 'WaitingForObjectsToGo' });
    expect(bench.target.contents()).toContain('ConfigMap other');
    expect(bench.target.contents()).not.toContain('ConfigMap one');
    expect((await bench.read(ONE)).status?.deletion?.blockers).toMatchObject([
      { kind: 'Namespace', name: 'apps', reason: 'NeededByAnother' },
    ]);
    await bench.pass(undefined, undefined, ONE); // Of what is left, all is left.
    const revision = await bench.local.revision();
    await bench.pass(undefined, undefined, ONE);
    expect(await bench.local.revision()).toBe(revision);

    bench.target.interfere(volume);
    await pass(OTHER);
    await pass(ONE);
    expect(bench.target.contents()).toEqual([]);
  });

  it('keeps nothing else of an add-on that it needs a class of', async () => {
    const fast: Manifest = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' } };
    await bench.setSpec(installationSpec([settings('one'), fast]), ONE);
    await pass(ONE);
    await bench.setSpec(installationSpec([driver, settings('other'), fast]), OTHER);
    await bench.pass(undefined, undefined, OTHER);
    await bench.requestDeletion(ONE);

    expect(await bench.pass(undefined, undefined, ONE)).toMatchObject({ reason: 'WaitingForObjectsToGo' });
    expect(bench.target.contents()).not.toContain('ConfigMap one');
    expect((await bench.read(ONE)).status?.deletion?.blockers).toMatchObject([
      { kind: 'Namespace', name: 'apps', reason: 'NeededByAnother' },
      { kind: 'StorageClass', name: 'fast', reason: 'NeededByAnother' },
    ]);
  });

  it.each([
    { who: 'is forced', prepare: () => force(ONE) },
    {
      who: 'goes before its cluster, for which the driver takes its volumes away',
      prepare: () => bench.requestDeletionWithCluster(ONE),
    },
  ])('is handed over to the driver by one that $who, and goes with it', async ({ prepare }) => {
    await bench.pass(undefined, undefined, OTHER);
    await prepare();
    await remove(ONE);
    expect(bench.target.contents()).toContain('Namespace apps');
    expect(bench.target.contents()).not.toContain('ConfigMap one');
    expect(await inventory(OTHER)).toContain('Namespace apps');

    bench.target.interfere(volume);
    await pass(OTHER);
    expect(bench.target.contents()).toEqual([]);
  });

  it('is not waited for once the driver is forced, whatever its last pass has found', async () => {
    await bench.pass(undefined, undefined, OTHER);
    await force(OTHER);
    await remove(ONE);
    await pass(OTHER);
    expect(bench.target.contents()).toEqual(['PersistentVolume pv-1']);
  });

  it('is waited for by one of two drivers alone', async () => {
    await bench.setSpec(installationSpec([apps, settings('one'), { ...driver, metadata: { name: 'efs.csi' } }]), ONE);
    await pass(ONE);
    await bench.requestDeletion(ONE);
    bench.target.interfere(volume);
    await bench.pass(undefined, undefined, ONE);
    await pass(OTHER);
    await pass(ONE);
    expect(bench.target.contents()).toEqual([]);
  });
});

it('is not let go of for an add-on that went at the same moment', async () => {
  await install(ONE, apps);
  await install(OTHER, settings('other'));
  const save = bench.local.installations.saveStatus.bind(bench.local.installations);
  bench.local.installations.saveStatus = (object, status) =>
    object.metadata.name === OTHER ? Promise.reject(notFound('addoninstallations', OTHER)) : save(object, status);
  await bench.requestDeletion(ONE);

  await expect(bench.pass(undefined, undefined, ONE)).rejects.toMatchObject({ code: 'Conflict', retry: 'now' });
  expect(await inventory(ONE)).toEqual(['Namespace apps']);
});

describe('an add-on that no longer states what its objects need', () => {
  it('keeps it until it goes itself, and writes nothing in the pass after', async () => {
    await install(ONE, apps, crd, settings('one'), widget);
    await bench.setSpec(installationSpec([settings('one'), widget]), ONE);
    await pass(ONE);
    expect(bench.target.contents()).toEqual(['ConfigMap one', CRD_OF_WIDGETS, 'Namespace apps', 'Widget w']);
    const revision = await bench.local.revision();
    await pass(ONE);
    expect(await bench.local.revision()).toBe(revision);

    await remove(ONE);
    expect(bench.target.contents()).toEqual([]);
  });

  it('takes it away once nothing needs it', async () => {
    await install(ONE, apps, crd, settings('one'), widget);
    await bench.setSpec(installationSpec([settings('one'), widget]), ONE);
    await pass(ONE);
    await bench.setSpec(installationSpec([]), ONE);
    await pass(ONE);
    expect(bench.target.contents()).toEqual([]);
  });
});
