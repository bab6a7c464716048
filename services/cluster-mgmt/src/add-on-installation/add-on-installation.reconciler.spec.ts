import { beforeEach, describe, expect, it } from '@jest/globals';
import { findCondition, PAUSED_ANNOTATION } from '@crate/api';
import { forbidden, invalidSpec } from '@crate/errors';
import { AddOnBench, STANDING_MS } from '../testing/add-on-bench.js';
import { installationSpec, machineSpec, MANIFESTS, NODE_NAMES } from '../testing/builders.js';
import { ADD_ON_INSTALLATION_FINALIZER } from './add-on-installation.reconciler.js';

const PAGES = { apiVersion: 'v1', kind: 'ConfigMap', name: 'pages', namespace: 'apps' };
const CONTENTS = ['ConfigMap pages', 'Deployment docs', 'Namespace apps'];

let bench: AddOnBench;
beforeEach(() => {
  bench = new AddOnBench();
});

describe('installing an add-on', () => {
  it('settles for good when the object is gone', async () => {
    expect(await bench.pass()).toEqual({ kind: 'settled', isGone: true });
  });

  it.each([
    { name: 'does not exist', prepare: async () => undefined, reason: 'KubernetesClusterNotFound' },
    { name: 'is not ready', prepare: () => bench.createCluster(false), reason: 'WaitingForCluster' },
    {
      name: 'is being deleted',
      prepare: async () => {
        await bench.createCluster();
        await bench.beginClusterDeletion();
      },
      reason: 'KubernetesClusterDeleting',
    },
  ])('waits without an error while the cluster $name', async ({ prepare, reason }) => {
    await prepare();
    await bench.create();

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason });
    expect(await bench.ready()).toBe(`False ${reason}`);
    expect((await bench.read()).status?.failure).toBeUndefined();
    expect(bench.target.writes).toEqual([]);
  });

  it('names the nodes that keep the cluster from being ready', async () => {
    await bench.createCluster();
    await bench.create();
    await bench.pass();
    await bench.setClusterReady(false, 'Not ready: demo-workers-7');
    await bench.pass();

    const { status } = await bench.read();
    expect(status?.progress?.message).toBe('Waiting for KubernetesCluster "demo": Not ready: demo-workers-7');
  });

  it('does not wait for a node of several that is not ready', async () => {
    await bench.createCluster(true, undefined, machineSpec([...NODE_NAMES, 'demo-workers-1']));
    await bench.create();
    await bench.breakWorker();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await bench.ready()).toBe('True Ready');
  });

  it('waits for an upgrade, which may drain what it needs', async () => {
    await bench.createCluster(true, undefined, machineSpec([...NODE_NAMES, 'demo-workers-1']));
    await bench.create();
    await bench.breakWorker('v1.30.8');
    expect(await bench.pass()).toMatchObject({ reason: 'WaitingForCluster' });
    const { status } = await bench.read();
    expect(status?.progress?.message).toBe('Waiting for KubernetesCluster "demo": it is being upgraded to v1.31.4');
    expect(bench.target.writes).toEqual([]);
  });

  it('applies everything in order and is ready', async () => {
    await bench.createCluster();
    await bench.create();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['apply Namespace apps', 'apply ConfigMap pages', 'apply Deployment docs']);
    const { status, metadata } = await bench.read();
    expect(metadata.finalizers).toEqual([ADD_ON_INSTALLATION_FINALIZER]);
    expect(status).toMatchObject({
      version: '1.0.0',
      observedGeneration: 1,
      progress: { step: 3, steps: 3, message: 'Ready' },
    });
    expect(status?.inventory?.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(CONTENTS);
    expect(await bench.ready()).toBe('True Ready');
  });

  it('makes no write anywhere in the pass after', async () => {
    await bench.createCluster();
    await bench.create();
    await bench.pass();
    const revision = await bench.local.revision();
    bench.target.writes.length = 0;
    bench.nowMs += 5000;

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await bench.local.revision()).toBe(revision);
    expect(bench.target.writes).toEqual([]);
  });

  it('writes the inventory down before the first object is made', async () => {
    await bench.createCluster();
    await bench.create();
    const apply = bench.target.applyObject.bind(bench.target);
    const seen: (number | undefined)[] = [];
    bench.target.applyObject = async (object, options) => {
      seen.push((await bench.read()).status?.inventory?.length);
      return apply(object, options);
    };
    await bench.pass();

    expect(seen).toEqual([3, 3, 3]);
  });

  it('waits for objects that are not ready, and tells which', async () => {
    bench.target.statusOnApply.delete('Deployment');
    await bench.createCluster();
    await bench.create();

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForObjects', retryAfterMs: 1000 });
    expect((await bench.read()).status?.progress).toEqual({
      step: 2,
      steps: 3,
      message: 'Deployment apps/docs: its newest change is not taken up yet',
    });
  });

  it('tells what refuses its pods on one line, however much that says', async () => {
    const message = `denied:\n  ${'x'.repeat(1000)}`;
    const conditions = [{ type: 'ReplicaFailure', status: 'True', message }];
    bench.target.statusOnApply.set('Deployment', { observedGeneration: 1, conditions });
    await bench.createCluster();
    await bench.create();
    await bench.pass();

    const { progress, conditions: told } = (await bench.read()).status ?? {};
    expect(progress?.message).toMatch(/^Deployment apps\/docs: denied: x{200,275}…$/);
    expect(told).toContainEqual(expect.objectContaining({ type: 'Ready', message: progress?.message }));
  });

  it('looks less often at an add-on that is not ready for minutes', async () => {
    bench.target.statusOnApply.delete('Deployment');
    await bench.createCluster();
    await bench.create();
    await bench.pass();
    bench.nowMs += 120_000;
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 5000 });
    bench.nowMs += 600_000;
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 30_000 });
  });

  it.each([
    { name: 'invalid', error: invalidSpec('spec.replicas: must be positive', []), code: 'InvalidSpec' },
    { name: 'forbidden', error: forbidden('violates PodSecurity "restricted"'), code: 'Forbidden' },
  ])('tells the person when the cluster finds an object $name', async ({ error, code }) => {
    await bench.createCluster();
    await bench.create();
    bench.target.applyObject = () => Promise.reject(error);

    await expect(bench.pass()).rejects.toMatchObject({ code });
    expect((await bench.read()).status?.failure).toMatchObject({
      code: 'ManifestRejected',
      field: 'spec.manifests',
      message: `The cluster refuses the add-on: ${error.message}`,
    });
    expect((await bench.read()).status?.inventory).toHaveLength(3);
  });

  it('waits without an error while the cluster does not answer', async () => {
    await bench.createCluster();
    await bench.create();
    bench.target.isDown = true;

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
    expect(await bench.ready()).toBe('Unknown ConnectionDown');
  });
});

describe('keeping an add-on', () => {
  beforeEach(async () => {
    await bench.createCluster();
    await bench.create();
    await bench.pass();
    bench.target.writes.length = 0;
  });

  it('puts back what somebody changed, touches nothing else, and logs it', async () => {
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'defaced' } }));

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['apply ConfigMap pages']);
    expect(bench.logger.at('info')).toMatchObject([
      { message: 'Correcting drift', fields: { objects: ['ConfigMap pages'] } },
    ]);
  });

  it('puts back what somebody removed', async () => {
    bench.target.interfere(PAGES);
    await bench.pass();

    expect(bench.target.contents()).toEqual(CONTENTS);
  });

  const withReplicas = (replicas: number): typeof MANIFESTS =>
    MANIFESTS.map((each) => (each.kind === 'Deployment' ? { ...each, spec: { replicas } } : each));
  const told = (): readonly string[] => bench.events.events.map(({ reason }) => reason);

  it('tells when it is not ready any more, through nobody who changed it', async () => {
    bench.target.interfere({ ...PAGES, apiVersion: 'apps/v1', kind: 'Deployment', name: 'docs' }, (object) => ({
      ...object,
      status: {},
    }));
    bench.target.statusOnApply.delete('Deployment');
    await bench.pass();

    expect(await bench.ready()).toBe('False WaitingForObjects');
    expect(told()).toEqual(['AddOnInstalled', 'AddOnNotReady']);
  });

  it.each([
    { name: 'other values', version: '1.0.0' },
    { name: 'another version', version: '1.1.0' },
  ])('takes $name for no drift, and the wait for them for no trouble', async ({ version }) => {
    await bench.setSpec({ ...installationSpec(withReplicas(2)), version });
    await bench.pass();
    expect(await bench.ready()).toBe('False WaitingForObjects');
    expect(told()).toEqual(['AddOnInstalled']);
    expect(bench.logger.at('info')).toEqual([]);

    const scaled = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
    bench.target.statusOnApply.set('Deployment', scaled);
    bench.target.interfere(PAGES);
    await bench.pass();
    expect(told()).toEqual(['AddOnInstalled', 'DriftCorrected']);
  });

  it('takes away what the new version no longer states', async () => {
    const next = { ...installationSpec(MANIFESTS.filter(({ kind }) => kind !== 'ConfigMap')), version: '1.1.0' };
    await bench.setSpec(next);

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['remove ConfigMap pages']);
    const { status } = await bench.read();
    expect(status?.version).toBe('1.1.0');
    expect(status?.inventory?.map(({ name }) => name)).toEqual(['apps', 'docs']);
  });

  it('knows an object until it is really gone', async () => {
    bench.target.stuckKinds.add('ConfigMap');
    await bench.setSpec(installationSpec(MANIFESTS.filter(({ kind }) => kind !== 'ConfigMap')));

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForPrune', retryAfterMs: 1000 });
    expect((await bench.read()).status?.inventory).toHaveLength(3);
  });

  it('names what it no longer states and does not go, and looks at it less often the longer that takes', async () => {
    // Ready for a day: that is not how long it has waited.
    bench.nowMs += 86_400_000;
    bench.target.stuckKinds.add('ConfigMap');
    await bench.setSpec(installationSpec([]));
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 1000 });
    const message =
      'Waiting for ConfigMap apps/pages to go, which is no longer stated (1 more behind it). Look at its finalizers and at what owns it in the cluster';
    const { status } = await bench.read();
    expect(status?.progress?.message).toBe(message);
    expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ reason: 'WaitingForPrune', message });
    bench.nowMs += 120_000;
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 5000 });
    bench.nowMs += 600_000;
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 30_000 });
  });

  it('keeps its hands off while the cluster is not ready', async () => {
    await bench.setClusterReady(false);
    bench.target.interfere(PAGES);

    expect(await bench.pass()).toMatchObject({ reason: 'WaitingForCluster' });
    expect(bench.target.writes).toEqual([]);
  });
});

describe('a process that dies after any phase', () => {
  it.each([0, 1, 2, 3])('is followed by one that ends in the same state (installing, %i phases done)', async (done) => {
    await bench.createCluster();
    await bench.create();
    await bench.dieAfter(bench.phases.bringUp.slice(0, done), 'bringUp');

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual(CONTENTS);
    expect((await bench.read()).status?.inventory).toHaveLength(3);
  });

  it.each([0, 1, 2])('is followed by one that ends in the same state (removing, %i phases done)', async (done) => {
    await bench.createCluster();
    await bench.create();
    await bench.pass();
    await bench.requestDeletion();
    await bench.dieAfter(bench.phases.tearDown.slice(0, done), 'tearDown');

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual([]);
    await expect(bench.read()).rejects.toThrow('gone');
  });
});

describe('an add-on of a paused cluster', () => {
  const pause = async (isOn = true): Promise<void> => {
    const annotations = { [PAUSED_ANNOTATION]: isOn ? 'true' : null };
    const { name, namespace } = (await bench.read()).metadata;
    await bench.local.installations.merge(name, namespace, { metadata: { annotations } });
  };
  const standing = async (): Promise<readonly string[]> => {
    const { conditions } = (await bench.read()).status ?? {};
    const told = ['Paused', 'Ready', 'Synced'].map((type) => findCondition(conditions, type));
    return told.map((condition) => `${condition?.status} ${condition?.reason}`);
  };
  beforeEach(async () => {
    await bench.createCluster();
    await bench.create();
  });

  it('is left as somebody changed it, and set back once the cluster goes on', async () => {
    await bench.pass();
    bench.target.writes.length = 0;
    bench.target.interfere(PAGES);
    await pause();
    await bench.pass();
    expect(bench.target.writes).toEqual([]);
    expect(await standing()).toEqual(['True Paused', 'False WaitingForObjects', 'True ReconcileSuccess']);
    const { status } = await bench.read();
    expect(status?.progress?.message).toBe('ConfigMap apps/pages: does not exist');
    expect(findCondition(status?.conditions, 'InSync')).toMatchObject({ status: 'False', reason: 'Drifted' });

    await pause(false);
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['apply ConfigMap pages']);
    expect(await standing()).toEqual(['False NotPaused', 'True Ready', 'True ReconcileSuccess']);
  });

  it('is Ready where nothing differs, and is judged again all the same', async () => {
    await bench.pass();
    await pause();
    const asked = bench.policies.requests.length;
    bench.nowMs += 2 * STANDING_MS;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await standing()).toEqual(['True Paused', 'True Ready', 'True ReconcileSuccess']);
    expect(bench.policies.requests.length).toBeGreaterThan(asked);
    const revision = await bench.local.revision();
    await bench.pass();
    expect(await bench.local.revision()).toBe(revision);
  });

  it('is neither installed nor pruned before the cluster goes on', async () => {
    await pause();
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'Paused' });
    expect(await standing()).toEqual(['True Paused', 'False Paused', 'False Paused']);
    await pause(false);
    await bench.pass();
    await pause();
    await bench.setSpec(installationSpec(MANIFESTS.slice(0, 1)));
    bench.target.writes.length = 0;
    await bench.pass();
    expect(bench.target.writes).toEqual([]);
    expect((await bench.read()).status?.observedGeneration).toBe(1);
  });

  it('goes on saying why it failed, and tries nothing again', async () => {
    bench.policies.answer = forbidden('Not in this cluster');
    await expect(bench.pass()).rejects.toMatchObject({ code: 'Forbidden' });
    await pause();
    bench.policies.answer = { allowed: true, violations: [] };
    await bench.pass();
    expect(await standing()).toEqual(['True Paused', 'False ManifestRejected', 'False ReconcileError']);
    expect((await bench.read()).status?.failure).toMatchObject({
      message: 'The cluster refuses the add-on: Not in this cluster',
    });
    expect(bench.target.writes).toEqual([]);
  });

  it('is removed all the same once that is asked for', async () => {
    await bench.pass();
    await pause();
    await bench.requestDeletion();
    await bench.pass();
    expect(bench.target.writes).toContain('remove Deployment docs');
  });
});

describe('an add-on whose drift is observed', () => {
  const OBSERVED = { ...installationSpec(), drift: { policy: 'observe' as const } };
  const inSync = async (): Promise<unknown> => findCondition((await bench.read()).status?.conditions, 'InSync');
  beforeEach(async () => {
    await bench.createCluster();
    await bench.create(OBSERVED);
    await bench.pass();
    bench.target.writes.length = 0;
    bench.events.events.splice(0);
  });

  it('is left as somebody changed it, says so once, and writes nothing in the pass after', async () => {
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'mine' } }));
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual([]);
    expect(await inSync()).toMatchObject({ status: 'False', reason: 'Drifted', message: 'Differs: ConfigMap pages' });
    expect(await bench.ready()).toBe('True Ready');
    const revision = await bench.local.revision();
    await bench.pass();
    expect(await bench.local.revision()).toBe(revision);
    expect(bench.events.reasons).toEqual(['Warning Drifted']);
  });

  it('is in sync again once nothing differs any more', async () => {
    const before = (await bench.target.find(PAGES))!;
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'mine' } }));
    await bench.pass();
    bench.target.interfere(PAGES, () => before);
    await bench.pass();
    expect(await inSync()).toMatchObject({ status: 'True', reason: 'InSync' });
  });

  it.each([
    { name: 'another spec', spec: { ...OBSERVED, version: '1.0.1' } },
    { name: 'the other policy', spec: { ...OBSERVED, drift: { policy: 'correct' as const } } },
  ])('is put back with $name', async ({ spec }) => {
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'mine' } }));
    await bench.pass();
    await bench.setSpec(spec);
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['apply ConfigMap pages']);
    expect(await inSync()).toMatchObject({ status: 'True' });
  });
});
