import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { installationSpec, machineSpec, MANIFESTS, NODE_NAMES } from '../testing/builders.js';
import { AddOnBench } from '../testing/add-on-bench.js';
import { ClusterBench } from '../testing/cluster-bench.js';

/** After all that the tests make. */
const SET_BACK = { epoch: 1, begunAt: new Date('2100-01-01T00:00:00Z'), reason: 'older' };
const HELD = { code: 'Forbidden', details: { reason: 'Recovering' } };
const MORE_NODES = [...NODE_NAMES, 'demo-workers-1'];

describe('a cluster, while the database is older than the world', () => {
  let bench: ClusterBench;
  beforeEach(async () => {
    bench = new ClusterBench();
    await bench.makeReady(machineSpec());
    bench.engine.calls.length = 0;
    bench.target.writes.length = 0;
    bench.setBack = SET_BACK;
  });
  afterEach(() => bench.watches.close());

  it('is not drained, and keeps Kubernetes, when its deletion was asked for', async () => {
    await bench.requestDeletion();
    await expect(bench.pass()).rejects.toMatchObject(HELD);

    expect(bench.engine.calls).toEqual([]);
    expect(bench.target.writes).toEqual([]);
    expect((await bench.read()).status?.deletion?.blockers).toMatchObject([{ reason: 'Recovering' }]);
  });

  it.each([
    {
      reason: 'a node that joined after the backup',
      change: (): void => bench.target.setNode('demo-workers-1', { ready: true }),
      spec: { ...machineSpec(), version: 'v1.32.0' },
      message: /^Nodes would be removed: demo-workers-1, and/,
    },
    {
      reason: 'nodes that the record gives up, which may be wanted again',
      change: (): void => undefined,
      spec: machineSpec(NODE_NAMES.slice(0, 1)),
      message: /^Nodes would be removed: demo-workers-0, and/,
    },
    {
      reason: 'an upgrade that was made after the backup',
      change: (): void => undefined,
      spec: { ...machineSpec(), version: 'v1.30.9' },
      message: /^Kubernetes would go back from v1\.31\.4 to v1\.30\.9, and/,
    },
  ])('is not touched by the engine at the cost of $reason', async ({ change, spec, message }) => {
    change();
    await bench.setSpec(spec);
    await expect(bench.pass()).rejects.toMatchObject(HELD);

    expect(bench.engine.calls).toEqual([]);
    expect((await bench.read()).status?.failure).toMatchObject({
      code: 'Recovering',
      message: expect.stringMatching(message),
      remedy: expect.stringContaining('crate recovery confirm'),
    });
  });

  it('takes a node over that newer documents ask for again', async () => {
    bench.target.setNode('demo-workers-1', { ready: true });
    await bench.setSpec(machineSpec(MORE_NODES));

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls).toEqual(['settle', 'up']);
  });

  it('goes on when somebody has confirmed', async () => {
    await bench.requestDeletion();
    await expect(bench.pass()).rejects.toMatchObject(HELD);
    bench.setBack = undefined;

    const other = bench.slots.request('another cluster');
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForEngineSlot' });
    expect((await bench.read()).status).toMatchObject({ deletion: { blockers: [] } });
    expect((await bench.read()).status?.failure).toBeUndefined();

    if (other.granted) other.release();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls).toEqual(['settle', 'remove']);
  });

  it('is held no more once somebody has confirmed, though the engine has no time for it yet', async () => {
    await bench.setSpec({ ...machineSpec(), version: 'v1.30.9' });
    await expect(bench.pass()).rejects.toMatchObject(HELD);
    bench.setBack = undefined;
    bench.slots.request('another cluster');
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForEngineSlot' });

    expect((await bench.read()).status?.failure).toBeUndefined();
    expect(await bench.condition('Ready')).toBe('False WaitingForEngineSlot');
  });
});

describe('a cluster that was being made, while the database is older than the world', () => {
  let bench: ClusterBench;
  beforeEach(() => {
    bench = new ClusterBench();
  });
  afterEach(() => bench.watches.close());

  it('is not touched by the engine, which knows nothing of what it may have become since', async () => {
    await bench.create(machineSpec());
    bench.setBack = SET_BACK;
    await expect(bench.pass()).rejects.toMatchObject(HELD);

    expect(bench.engine.calls).toEqual([]);
    expect((await bench.read()).status?.failure).toMatchObject({
      code: 'Recovering',
      remedy: expect.stringContaining('crate recovery take-back demo -n team-a --from URL'),
    });
    bench.setBack = undefined;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('is made where it was asked for since', async () => {
    bench.setBack = { ...SET_BACK, begunAt: new Date(0) };
    await bench.create(machineSpec());
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });
});

describe('a cluster with a node that nobody asks for', () => {
  it('names it, and says what to do', async () => {
    const bench = new ClusterBench();
    await bench.makeReady(machineSpec());
    bench.target.setNode('demo-workers-1', { ready: true });
    await bench.pass();

    const ready = (await bench.read()).status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'WaitingForNodesToLeave' });
    expect(ready?.message).toMatch(/demo-workers-1; nobody asks for them: scale their node pools up to keep them/);
    bench.watches.close();
  });
});

describe('an add-on, while the database is older than the world', () => {
  let bench: AddOnBench;
  beforeEach(async () => {
    bench = new AddOnBench();
    await bench.createCluster();
    await bench.create();
    await bench.pass();
    bench.target.writes.length = 0;
    bench.setBack = SET_BACK;
  });

  it('stays in the cluster when its removal was asked for', async () => {
    await bench.requestDeletion();
    await expect(bench.pass()).rejects.toMatchObject(HELD);
    expect(bench.target.writes).toEqual([]);
  });

  it('keeps objects that it no longer states', async () => {
    await bench.setSpec(installationSpec(MANIFESTS.slice(0, 2)));
    await expect(bench.pass()).rejects.toMatchObject(HELD);
    expect(
      await bench.target.find({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'apps', name: 'docs' }),
    ).toBeDefined();
  });

  it('says no more that it is held once somebody has confirmed, though an old object takes its time', async () => {
    await bench.setSpec(installationSpec(MANIFESTS.slice(0, 2)));
    await expect(bench.pass()).rejects.toMatchObject(HELD);
    bench.setBack = undefined;
    bench.target.stuckKinds.add('Deployment');
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForPrune' });

    const { conditions = [] } = (await bench.read()).status ?? {};
    expect(conditions.find(({ type }) => type === 'Synced')).toMatchObject({ status: 'Unknown', reason: 'InProgress' });
  });
});
