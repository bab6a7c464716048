import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CLUSTER_UID_LABEL, type Manifest } from '@crate/api';
import { forbidden, invalidSpec, PlatformError, timeout } from '@crate/errors';
import type { EventDraft } from '@crate/reconcile';
import { AddOnBench } from '../testing/add-on-bench.js';
import { installationSpec, MANIFESTS } from '../testing/builders.js';
import { aContext } from '../testing/local-clients.js';
import { ADD_ON_INSTALLATION_FINALIZER } from './add-on-installation.reconciler.js';

const PAGES = { apiVersion: 'v1', kind: 'ConfigMap', name: 'pages', namespace: 'apps' };
const UNTRUSTED = new PlatformError('Unavailable', 'The certificate is not trusted (CERT_HAS_EXPIRED)', {
  details: { reason: 'CertificateRejected' },
});
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

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForPrune' });
    expect((await bench.read()).status?.inventory).toHaveLength(3);
  });

  it('keeps its hands off while the cluster is not ready', async () => {
    await bench.setClusterReady(false);
    bench.target.interfere(PAGES);

    expect(await bench.pass()).toMatchObject({ reason: 'WaitingForCluster' });
    expect(bench.target.writes).toEqual([]);
  });
});

describe('removing an add-on', () => {
  async function install(labels?: Record<string, string>): Promise<void> {
    await bench.createCluster(true, labels);
    await bench.create(installationSpec(), labels);
    await bench.pass();
    bench.target.writes.length = 0;
    await bench.requestDeletion();
  }

  it('takes everything away in reverse order, then lets go', async () => {
    await install();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['remove Deployment docs', 'remove ConfigMap pages', 'remove Namespace apps']);
    await expect(bench.read()).rejects.toThrow('gone');
  });

  it('removes nothing it never recorded', async () => {
    await bench.createCluster();
    const foreign: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pages', namespace: 'apps' } };
    await bench.target.applyObject(foreign, { fieldManager: 'somebody' });
    await bench.create();
    await bench.dieAfter([], 'bringUp');
    await bench.requestDeletion();
    await bench.pass();

    expect(bench.target.contents()).toEqual(['ConfigMap pages']);
  });

  it('waits for an object that does not go, and names it', async () => {
    await install();
    bench.target.stuckKinds.add('ConfigMap');

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForObjectsToGo' });
    const { status } = await bench.read();
    expect(status?.conditions?.find(({ type }) => type === 'Deleting')?.message).toBe(
      'Waiting for ConfigMap apps/pages',
    );
    // What goes after it has not been asked yet.
    expect(status?.deletion?.blockers).toMatchObject([{ kind: 'ConfigMap', name: 'apps/pages', reason: 'StillThere' }]);
    expect(status?.progress).toEqual({ step: 1, steps: 3, message: 'ConfigMap apps/pages' });
    expect(status?.inventory?.map(({ kind }) => kind)).toEqual(['Namespace', 'ConfigMap']);
  });

  it.each([
    { name: 'as a warning, once it is there for too long', ask: () => undefined, isInternal: undefined },
    {
      name: 'as a warning of its Cluster, where that goes as well',
      ask: () => bench.requestDeletionWithCluster(),
      isInternal: true,
    },
  ])('tells what is in the way when it appears, and $name', async ({ ask, isInternal }) => {
    await install();
    await ask();
    bench.target.stuckKinds.add('ConfigMap');
    const told = (): EventDraft[] => bench.events.events.filter(({ reason }) => reason.startsWith('Deletion'));
    await bench.pass();
    await bench.pass();
    const message = 'In the way of the deletion: ConfigMap apps/pages: Was asked to go, and is still there';
    expect(told()).toMatchObject([{ type: 'Normal', reason: 'DeletionWaiting', message }]);

    bench.nowMs += 901_000;
    await bench.pass();
    await bench.pass();
    expect(told().slice(1)).toMatchObject([{ type: 'Warning', reason: 'DeletionBlocked' }]);
    expect(told()[1]?.isInternal).toBe(isInternal);
    const deleting = (await bench.read()).status?.conditions?.find(({ type }) => type === 'Deleting');
    expect(deleting?.reason).toBe('DeletionBlocked');
  });

  it('does not wait for a cluster that is gone', async () => {
    await install();
    await bench.local.clusters.remove('demo', 'team-a');

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual([]);
  });

  it('does not touch another cluster of the same name', async () => {
    await install({ [CLUSTER_UID_LABEL]: 'first' });
    await bench.local.clusters.remove('demo', 'team-a');
    await bench.createCluster(true, { [CLUSTER_UID_LABEL]: 'second' });

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual([]);
  });

  it.each([
    { name: 'whose deletion is asked for, for as long as configured', isLeaving: false, patienceMs: 600_000 },
    { name: 'whose own turn it is, for half a minute', isLeaving: true, patienceMs: 30_000 },
  ])('waits for a silent cluster $name', async ({ isLeaving, patienceMs }) => {
    await install();
    await bench.requestDeletionWithCluster();
    bench.target.isDown = true;
    if (isLeaving) await bench.beginClusterDeletion();
    bench.nowMs = Math.ceil(bench.nowMs / 1000) * 1000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
    const { deletion } = (await bench.read()).status ?? {};
    expect(deletion?.blockers).toMatchObject([{ kind: 'KubernetesCluster', name: 'demo', reason: 'ConnectionDown' }]);
    bench.nowMs += patienceMs - 1;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
    bench.nowMs += 1;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.logger.at('warn')).toHaveLength(1);
    expect(bench.events.events.map(({ reason }) => reason)).toContain('RemovalGivenUp');
    expect(bench.events.events.map(({ reason }) => reason)).not.toContain('AddOnRemoved');
  });

  it('waits no longer for the server of one group of a cluster that goes', async () => {
    await install();
    await bench.requestDeletionWithCluster();
    const notServed = new PlatformError('Unavailable', 'No server of it', { details: { reason: 'ClusterError' } });
    jest.spyOn(bench.target, 'remove').mockRejectedValue(notServed);
    bench.nowMs = Math.ceil(bench.nowMs / 1000) * 1000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ClusterError' });
    const { deletion } = (await bench.read()).status ?? {};
    expect(deletion?.blockers).toMatchObject([{ reason: 'ClusterError', message: 'No server of it' }]);
    bench.nowMs += 600_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.events.events.map(({ reason }) => reason)).toContain('RemovalGivenUp');
  });

  it('waits without end for a silent cluster that nobody deletes: it would stay there', async () => {
    await install();
    jest.spyOn(bench.target, 'find').mockRejectedValue(UNTRUSTED);
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'CertificateRejected' });
    bench.nowMs += 86_400_000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'CertificateRejected' });
    expect((await bench.read()).status?.deletion?.blockers).toMatchObject([
      {
        ...{ kind: 'KubernetesCluster', reason: 'CertificateRejected', message: UNTRUSTED.message },
        remedy: 'Make it answer again: the cluster stays, and so would what the add-on has put there',
      },
    ]);
  });

  it('waits as long on a replica whose host has a clock that is ahead', async () => {
    await install();
    bench.target.isDown = true;
    await bench.beginClusterDeletion();
    await bench.pass();
    bench.hostAheadMs = 600_000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
  });

  it('counts its patience from when the cluster fell silent, and anew once it has answered', async () => {
    await install();
    bench.target.stuckKinds.add('ConfigMap');
    await bench.pass();
    for (const _ of ['the first silence', 'the second']) {
      bench.nowMs += 3_600_000;
      bench.target.isDown = true;
      expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
      bench.nowMs += 599_000;
      expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
      bench.target.isDown = false;
      expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForObjectsToGo' });
    }
    bench.target.interfere(PAGES);
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual([]);
  });

  const trouble = timeout('The database took too long');
  it.each([
    { name: 'goes on while nobody can look', fail: () => jest.spyOn(bench.local.clusters, 'find'), error: trouble },
    { name: 'goes on while nobody asks it', fail: () => jest.spyOn(bench.local.installations, 'list'), error: trouble },
    {
      name: 'ends with a refusal',
      fail: () => jest.spyOn(bench.target, 'remove'),
      error: forbidden('No'),
      isOver: true,
    },
    {
      name: 'ends with answers up to the deadline',
      fail: () => jest.spyOn(bench.target, 'remove'),
      error: timeout('Given up'),
      isOver: true,
    },
  ])('takes it that a silence $name', async ({ fail, error, isOver = false }) => {
    await install();
    await bench.requestDeletionWithCluster();
    bench.target.isDown = true;
    await bench.pass();
    bench.target.isDown = false;
    bench.nowMs += 300_000;
    fail().mockRejectedValueOnce(error);
    const remoteSignal = isOver ? AbortSignal.abort() : new AbortController().signal;
    await expect(bench.pass(aContext({ remoteSignal }))).rejects.toBe(error);
    bench.target.isDown = true;
    bench.nowMs += 301_000;
    expect(await bench.pass()).toMatchObject({ kind: isOver ? 'waiting' : 'settled' });
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
