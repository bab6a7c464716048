import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CLUSTER_UID_LABEL, type Manifest } from '@crate/api';
import { forbidden, PlatformError, timeout } from '@crate/errors';
import type { EventDraft } from '@crate/reconcile';
import { AddOnBench } from '../testing/add-on-bench.js';
import { installationSpec } from '../testing/builders.js';
import { aContext } from '../testing/local-clients.js';

const PAGES = { apiVersion: 'v1', kind: 'ConfigMap', name: 'pages', namespace: 'apps' };
const UNTRUSTED = new PlatformError('Unavailable', 'The certificate is not trusted (CERT_HAS_EXPIRED)', {
  details: { reason: 'CertificateRejected' },
});

let bench: AddOnBench;
beforeEach(() => {
  bench = new AddOnBench();
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

  it('looks less often at an object the longer it does not go', async () => {
    await install();
    bench.target.stuckKinds.add('ConfigMap');
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 1000 });
    bench.nowMs += 120_000;
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 5000 });
    bench.nowMs += 600_000;
    expect(await bench.pass()).toMatchObject({ retryAfterMs: 30_000 });

    bench.target.stuckKinds.delete('ConfigMap');
    bench.target.stuckKinds.add('Namespace');
    expect(await bench.pass()).toMatchObject({ reason: 'WaitingForObjectsToGo', retryAfterMs: 1000 });
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
