import { PAUSED_ANNOTATION } from '@crate/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { engineFailure } from '../engine/engine-failure.js';
import { EXISTING_SPEC, machineSpec, NODE_NAMES } from '../testing/builders.js';
import { ClusterBench } from '../testing/cluster-bench.js';
import { KEY } from '../testing/local-clients.js';

let bench: ClusterBench;
beforeEach(() => {
  bench = new ClusterBench();
});
afterEach(() => bench.watches.close());

async function pause(isOn = true): Promise<void> {
  const annotations = { [PAUSED_ANNOTATION]: isOn ? 'true' : null };
  await bench.local.clusters.merge(KEY.name, KEY.namespace, { metadata: { annotations } });
}

const standing = (): Promise<readonly string[]> =>
  Promise.all(['Paused', 'Ready', 'Synced'].map((type) => bench.condition(type)));

describe('a cluster that is paused while all is well', () => {
  beforeEach(async () => {
    await bench.makeReady(machineSpec());
    bench.engine.calls.length = 0;
    bench.target.writes.length = 0;
    await pause();
  });

  it('stays Ready, and is looked at without a write in the pass after', async () => {
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await standing()).toEqual(['True Paused', 'True Ready', 'True ReconcileSuccess']);
    const revision = await bench.local.revision();
    await bench.pass();
    expect(await bench.local.revision()).toBe(revision);
    expect([bench.engine.calls, bench.target.writes]).toEqual([[], []]);
  });

  it('tells which nodes are not ready, and leaves what is left of others', async () => {
    bench.target.setNode('demo-workers-0', { ready: false });
    bench.target.setNode('demo-workers-9', { ready: false });
    await bench.pass();
    expect(await bench.condition('NodesReady')).toBe('False WaitingForNodes');
    expect(bench.target.writes).toEqual([]);
  });

  it('is silent when it does not answer', async () => {
    bench.target.isDown = true;
    await bench.pass();
    bench.nowMs += 61_000;
    await bench.pass();
    expect(await bench.condition('ControlPlaneReady')).toBe('Unknown ConnectionDown');
  });

  it('is removed all the same once that is asked for', async () => {
    await bench.requestDeletion();
    await bench.pass();
    expect(bench.engine.calls).toContain('remove');
  });
});

describe('a cluster that is paused in the middle of work', () => {
  it('begins no run, leaves the line, and does what waited once it goes on', async () => {
    const running = bench.slots.request('another cluster');
    await bench.create(machineSpec());
    await bench.pass();
    expect(bench.slots.waiting).toBe(1);
    await pause();
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'Paused' });
    expect(bench.slots.waiting).toBe(0);
    if (running.granted) running.release();
    await bench.pass();
    expect(await standing()).toEqual(['True Paused', 'False Paused', 'False Paused']);
    expect((await bench.read()).status?.observedGeneration).toBe(0);
    expect(bench.engine.calls).not.toContain('up');

    await pause(false);
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls).toContain('up');
    expect(await standing()).toEqual(['False NotPaused', 'True Ready', 'True ReconcileSuccess']);
  });

  it('drains no node that is to leave', async () => {
    await bench.makeReady(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    bench.engine.calls.length = 0;
    bench.target.writes.length = 0;
    await bench.setSpec(machineSpec());
    await pause();
    await bench.pass();
    expect([bench.engine.calls, bench.target.writes]).toEqual([[], []]);
    expect((await bench.read()).status?.nodes).toHaveLength(3);
  });

  it('lets a run that has begun come to its end', async () => {
    await bench.create(machineSpec());
    bench.engine.duringRun = () => pause();
    await bench.pass();
    expect((await bench.read()).status?.observedGeneration).toBe(1);
    await bench.pass();
    expect(await standing()).toEqual(['True Paused', 'True Ready', 'True ReconcileSuccess']);
  });

  it('goes on saying why it failed, and tries nothing again', async () => {
    bench.engine.failure = engineFailure('SshUnreachable', 'No machine answers');
    await bench.create(machineSpec());
    await expect(bench.pass()).rejects.toThrow();
    bench.engine.calls.length = 0;
    await pause();
    await bench.pass();
    expect(await standing()).toEqual(['True Paused', 'False SshUnreachable', 'False ReconcileError']);
    expect(bench.engine.calls).toEqual([]);
  });

  it('waits without machines', async () => {
    await bench.create();
    await pause();
    expect(await bench.pass()).toMatchObject({ reason: 'WaitingForMachines' });
    expect(await bench.condition('Paused')).toBe('True Paused');
  });
});

it('looks after a paused cluster that was there before', async () => {
  await bench.create(EXISTING_SPEC);
  await pause();
  await bench.pass();
  expect(await standing()).toEqual(['True Paused', 'True Ready', 'True ReconcileSuccess']);
  expect(bench.target.writes).toEqual([]);
});
