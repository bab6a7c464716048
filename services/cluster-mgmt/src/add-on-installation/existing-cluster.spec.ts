import { beforeEach, describe, expect, it } from '@jest/globals';
import { FORCE_ANNOTATION, FORCED_ANNOTATION, type Manifest } from '@crate/api';
import { KeyRing } from '@crate/secrets';
import { AddOnBench } from '../testing/add-on-bench.js';
import { EXISTING_SPEC, installationSpec, MANIFESTS } from '../testing/builders.js';
import { ADOPT_ANNOTATION } from './foreign-objects.js';

const THEIRS = { ...MANIFESTS[1]!, data: { index: 'theirs' } };
const PAGES = { apiVersion: 'v1', kind: 'ConfigMap', name: 'pages', namespace: 'apps' };

let bench: AddOnBench;
beforeEach(async () => {
  bench = new AddOnBench();
  await bench.createCluster(true, undefined, EXISTING_SPEC);
});

async function thereBefore(annotations?: Record<string, string>): Promise<void> {
  const metadata = { ...THEIRS.metadata, ...(annotations ? { annotations } : {}) };
  await bench.target.applyObject({ ...THEIRS, metadata }, { fieldManager: 'kubectl' });
  bench.target.writes.length = 0;
}

describe('an add-on in a cluster that was there before', () => {
  it('is installed, kept and removed as elsewhere', async () => {
    await bench.create();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'defaced' } }));
    await bench.pass();
    expect(await bench.target.find(PAGES)).toMatchObject({ data: { index: 'hello' } });
    await bench.requestDeletion();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual([]);
  });

  it('keeps a driver of volumes in a cluster that is only let go of', async () => {
    const driver: Manifest = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'ebs.example' } };
    await bench.create({ ...installationSpec([driver]), removal: 'WithCluster' });
    await bench.pass();
    const spec = { csi: { driver: 'ebs.example' } };
    const volume: Manifest = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv-1' }, spec };
    await bench.target.applyObject(volume, { fieldManager: 'provisioner' });
    await bench.beginClusterDeletion();
    await bench.requestDeletion();

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'VolumesInUse' });
  });

  it('tells what a forced deletion leaves there', async () => {
    await bench.create();
    await bench.pass();
    bench.target.stuckKinds.add('ConfigMap');
    await bench.requestDeletion();
    const annotations = { [FORCE_ANNOTATION]: 'Broken', [FORCED_ANNOTATION]: '2026-01-01T00:00:00Z ada' };
    await bench.local.installations.merge('demo-docs', 'team-a', { metadata: { annotations } });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    const message = 'Left behind: ConfigMap apps/pages, Namespace apps, because ada said so: Broken';
    expect(bench.events.events).toContainEqual(expect.objectContaining({ reason: 'Abandoned', message }));
  });

  it('takes nothing over that others put there, says what, and leaves it when it goes', async () => {
    await thereBefore();
    await bench.create();
    await expect(bench.pass()).rejects.toMatchObject({ retry: 'slow', details: { reason: 'ObjectExists' } });
    const { status } = await bench.read();
    expect(status?.failure).toMatchObject({
      code: 'ObjectExists',
      message: expect.stringContaining('ConfigMap apps/pages') as unknown,
    });
    expect(status?.inventory ?? []).toEqual([]);
    await bench.requestDeletion();
    await bench.pass();
    expect(await bench.target.find(PAGES)).toMatchObject({ data: { index: 'theirs' } });
    expect(bench.target.writes).toEqual([]);
  });

  it('takes over what was handed over', async () => {
    await thereBefore({ [ADOPT_ANNOTATION]: 'true' });
    await bench.create();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await bench.target.find(PAGES)).toMatchObject({ data: { index: 'hello' } });
  });

  it('goes on where a pass was interrupted: what it began to put there is its own', async () => {
    await bench.create();
    const apply = bench.target.applyObject.bind(bench.target);
    bench.target.applyObject = async (object, options) => {
      const made = await apply(object, options);
      if (object.kind === 'ConfigMap' && options.dryRun !== true) throw new Error('Power cut');
      return made;
    };
    await bench.pass().catch(() => undefined);
    bench.target.applyObject = apply;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('is never given up for a lost key: it would stay there', async () => {
    await bench.create();
    await bench.pass();
    await bench.requestDeletion();
    bench.secrets.find = () => new KeyRing([]).digest(Buffer.of(), 'lost').then(() => undefined);
    bench.nowMs += 86_400_000;
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'EncryptionKeyMissing' } });
  });

  it('is never given up while the cluster is silent: it would stay there', async () => {
    await bench.create();
    await bench.pass();
    await bench.beginClusterDeletion();
    await bench.requestDeletion();
    bench.target.isDown = true;
    bench.nowMs += 86_400_000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
    bench.target.isDown = false;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual([]);
  });
});

describe('an add-on that nobody asked for, in a cluster that Crate made', () => {
  it('takes nothing over either', async () => {
    bench = new AddOnBench();
    await bench.createCluster();
    await thereBefore();
    await bench.create({ ...installationSpec(), unasked: true });
    await expect(bench.pass()).rejects.toMatchObject({ retry: 'slow', details: { reason: 'ObjectExists' } });
    expect(await bench.target.find(PAGES)).toMatchObject({ data: { index: 'theirs' } });
  });

  it('is installed where nothing is in its way, and kept as it is', async () => {
    bench = new AddOnBench();
    await bench.createCluster();
    await bench.create({ ...installationSpec(), unasked: true });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'defaced' } }));
    await bench.pass();
    expect(await bench.target.find(PAGES)).toMatchObject({ data: { index: 'hello' } });
  });
});
