import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ADD_ON_INSTALLATION, type AddOnInstallation } from '@crate/api';
import { eventually } from '@crate/testing';
import { engineFailure } from '../engine/engine-failure.js';
import { installationSpec, machineSpec } from '../testing/builders.js';
import { ClusterBench } from '../testing/cluster-bench.js';

let bench: ClusterBench;
beforeEach(() => {
  bench = new ClusterBench();
});
afterEach(() => bench.watches.close());

describe('removing a cluster', () => {
  it('takes Kubernetes off the machines and leaves nothing behind', async () => {
    await bench.makeReady(machineSpec());
    const { uid } = (await bench.read()).metadata;
    await bench.requestDeletion();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls).toEqual(['settle', 'up', 'settle', 'remove']);
    expect(await bench.secrets.countOwners()).toBe(0);
    expect(bench.connections.dropped).toEqual([uid]);
    expect(bench.watches.size).toBe(0);
    await expect(bench.read()).rejects.toThrow('gone');
    expect(await bench.pass()).toEqual({ kind: 'settled', isGone: true });
  });

  it('runs no engine when there never were machines', async () => {
    await bench.create();
    await bench.pass();
    await bench.requestDeletion();
    await bench.pass();

    expect(bench.engine.calls).toEqual([]);
    expect(await bench.secrets.countOwners()).toBe(0);
  });

  it('waits for add-ons on their way out, and names them', async () => {
    await bench.makeReady(machineSpec());
    const metadata = { name: 'demo-docs', namespace: 'team-a', finalizers: ['x/y'] } as AddOnInstallation['metadata'];
    await bench.local.create<AddOnInstallation>(ADD_ON_INSTALLATION, { metadata, spec: installationSpec() });
    await bench.local.installations.remove('demo-docs', 'team-a');
    await bench.requestDeletion();

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForAddOnRemoval' });
    const deleting = (await bench.read()).status?.conditions?.find(({ type }) => type === 'Deleting');
    expect(deleting).toMatchObject({ status: 'True', message: 'Waiting for AddOnInstallation demo-docs' });
  });

  it('does not wait for a driver on its way out that its volumes need: it goes down with the cluster', async () => {
    await bench.makeReady(machineSpec());
    const metadata = { name: 'demo-docs', namespace: 'team-a', finalizers: ['x/y'] } as AddOnInstallation['metadata'];
    const spec = { ...installationSpec(), removal: 'WithCluster' as const };
    await bench.local.create<AddOnInstallation>(ADD_ON_INSTALLATION, { metadata, spec });
    await bench.local.installations.remove('demo-docs', 'team-a');
    await bench.requestDeletion();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('is not held up for ever by machines that are gone', async () => {
    await bench.makeReady(machineSpec());
    await bench.requestDeletion();
    bench.engine.failure = engineFailure('SshUnreachable', 'No machine answers');
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });
    expect((await bench.read()).status?.failure?.code).toBe('SshUnreachable');

    bench.nowMs += 601_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.logger.at('warn')).toHaveLength(1);
    await expect(bench.read()).rejects.toThrow('gone');
  });

  it('soon gives up on machines that never let the engine in', async () => {
    bench.engine.failure = engineFailure('SshUnreachable', 'No machine answers');
    await bench.create(machineSpec());
    await expect(bench.pass()).rejects.toThrow();
    await bench.requestDeletion();
    await expect(bench.pass()).rejects.toThrow();

    bench.nowMs += 61_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('interrupts an engine that is still bringing the cluster up', async () => {
    await bench.create(machineSpec());
    bench.engine.duringRun = async ({ signal }) => {
      await bench.requestDeletion();
      await eventually(() => signal.aborted);
      throw engineFailure('Timeout', 'Asked to stop');
    };

    expect(await bench.pass()).toEqual({ kind: 'waiting', reason: 'DeletionRequested', retryAfterMs: 0 });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls).toEqual(['settle', 'up', 'settle', 'remove']);
  });
});
