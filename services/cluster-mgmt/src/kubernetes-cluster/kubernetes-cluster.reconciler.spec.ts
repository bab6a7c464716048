import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyViolation } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { settled, type Outcome } from '@crate/reconcile';
import { engineFailure } from '../engine/engine-failure.js';
import { machineSpec, NODE_NAMES } from '../testing/builders.js';
import { ClusterBench } from '../testing/cluster-bench.js';
import { aContext, KEY } from '../testing/local-clients.js';
import { KUBERNETES_CLUSTER_FINALIZER } from './kubernetes-cluster.reconciler.js';

const AUDIT_LOG: PolicyViolation = {
  policy: 'audit-log',
  level: 'must',
  severity: 'high',
  effect: 'deny',
  title: 'API servers keep an audit log',
  field: 'services.kube-api',
  message: 'There is no audit log',
  remedy: 'Enable the audit log',
  references: [],
};

let bench: ClusterBench;
beforeEach(() => {
  bench = new ClusterBench();
});
afterEach(() => bench.watches.close());

describe('bringing a cluster up', () => {
  it('settles for good when the object is gone', async () => {
    expect(await bench.pass()).toEqual({ kind: 'settled', isGone: true });
  });

  it('makes the SSH key, publishes its public half, and waits for machines', async () => {
    const { metadata } = await bench.create();
    const outcome = await bench.pass();

    const { status, metadata: after } = await bench.read();
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'WaitingForMachines' });
    expect(status?.sshPublicKey).toMatch(/^ssh-ed25519 [A-Za-z0-9+/=]+ crate-demo$/);
    expect(after.finalizers).toEqual([KUBERNETES_CLUSTER_FINALIZER]);
    expect(await bench.condition('Ready')).toBe('False WaitingForMachines');
    expect(await bench.secrets.versions(metadata.uid, 'ssh-private-key')).toHaveLength(1);
    expect(JSON.stringify(await bench.read())).not.toContain('PRIVATE KEY');
    expect(bench.engine.calls).toEqual([]);
  });

  it('keeps the key when machines arrive, runs the engine, and is ready', async () => {
    await bench.create();
    await bench.pass();
    const before = (await bench.read()).status?.sshPublicKey;
    await bench.setSpec(machineSpec());
    const outcome = await bench.pass();

    const { status, metadata } = await bench.read();
    expect(outcome).toEqual({ kind: 'settled' });
    expect(bench.engine.calls).toEqual(['settle', 'up']);
    expect(status).toMatchObject({
      sshPublicKey: before,
      observedGeneration: metadata.generation,
      apiEndpoint: 'https://lb.example.com:6443',
      version: 'v1.31.4',
      nodes: NODE_NAMES.map((name) => ({ name, ready: true })),
      progress: { message: 'Ready' },
    });
    expect(status?.failure).toBeUndefined();
    for (const type of ['Ready', 'Synced', 'ControlPlaneReady', 'NodesReady']) {
      expect(await bench.condition(type)).toMatch(/^True/);
    }
    expect(bench.ready).toEqual(['demo']);
  });

  it('tells those who wait for it once it takes add-ons, whatever node is not ready, and not again once all are', async () => {
    const worker = 'demo-workers-1';
    await bench.create(machineSpec([...NODE_NAMES, worker]));
    const { bringUp } = bench.phases;
    const breakWorker = (): Promise<Outcome> => {
      bench.target.setNode(worker, { ready: false });
      return Promise.resolve(settled);
    };
    await bench.pass(aContext(), { bringUp: [...bringUp.slice(0, -1), breakWorker, ...bringUp.slice(-1)] });
    expect(await bench.condition('Ready')).toBe('False WaitingForNodes');
    expect(bench.ready).toEqual(['demo']);

    bench.target.setNode(worker, { ready: true });
    await bench.pass();
    expect(await bench.condition('Ready')).toBe('True Ready');
    expect(bench.ready).toEqual(['demo']);
  });

  it('makes no write, no engine run and no review in the pass after', async () => {
    await bench.makeReady(machineSpec());
    const revision = await bench.local.revision();
    bench.nowMs += 5_000;

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await bench.local.revision()).toBe(revision);
    expect(bench.engine.calls).toEqual(['settle', 'up']);
    expect(bench.policies.requests).toHaveLength(1);
    expect(bench.target.writes).toEqual(['apply ClusterRoleBinding crate:cluster-admins']);
    expect(bench.ready).toEqual(['demo']);
  });

  it('shows how far the engine is while it runs', async () => {
    await bench.create(machineSpec());
    const seen: unknown[] = [];
    bench.engine.duringRun = async () => {
      while ((await bench.read()).status?.progress === undefined)
        await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push((await bench.read()).status?.progress, await bench.condition('Ready'));
    };
    await bench.pass();

    expect(seen).toEqual([{ step: 3, steps: 14, message: 'Starting etcd' }, 'False EngineRunning']);
  });

  it('does not lose the outcome of a run during which the spec changed', async () => {
    await bench.create(machineSpec());
    bench.engine.duringRun = () => bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    await bench.pass();
    const { status, metadata } = await bench.read();

    expect(metadata.generation).toBe(2);
    expect(status?.observedGeneration).toBe(1);
    expect(await bench.condition('Ready')).toBe('True Ready');
  });

  it('waits for a free engine, and says how long the queue is', async () => {
    bench.slots.request('another cluster');
    bench.slots.request('yet another cluster');
    await bench.create(machineSpec());

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForEngineSlot', retryAfterMs: 5_000 });
    expect((await bench.read()).status?.progress?.message).toBe('Waiting for a free engine, 1 ahead');
    expect(bench.policies.requests).toEqual([]);
  });

  it('writes nothing while it only moves up from far behind', async () => {
    const running = bench.slots.request('0');
    for (let other = 1; other <= 19; other += 1) bench.slots.request(`${other}`);
    await bench.create(machineSpec());
    expect(await bench.pass()).toMatchObject({ reason: 'WaitingForEngineSlot', retryAfterMs: 30_000 });
    const before = await bench.read();
    if (running.granted) running.release();
    for (let other = 1; other <= 8; other += 1) {
      const slot = bench.slots.request(`${other}`);
      await bench.pass();
      if (slot.granted) slot.release();
    }

    expect(before.status?.progress?.message).toBe('Waiting for a free engine, more than 10 ahead');
    expect((await bench.read()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('runs nothing that policy denies, and says which field to change', async () => {
    bench.policies.answer = { allowed: false, violations: [AUDIT_LOG] };
    await bench.create(machineSpec());

    await expect(bench.pass()).rejects.toMatchObject({ code: 'Forbidden' });
    expect(bench.engine.calls).not.toContain('up');
    expect(bench.policies.requests).toMatchObject([{ stage: 'EngineConfig', subject: KEY }]);
    expect((await bench.read()).status?.failure).toMatchObject({
      code: 'PolicyDenied',
      field: 'services.kube-api',
      remedy: 'Enable the audit log',
      retryable: true,
    });
  });

  it('publishes a failure with its code, writes nothing when it repeats, and forgets it on success', async () => {
    bench.engine.failure = engineFailure('SshUnreachable', 'No machine answers');
    await bench.create(machineSpec());
    await expect(bench.pass()).rejects.toMatchObject({ code: 'Unavailable' });
    const { status } = await bench.read();
    expect(status?.failure).toMatchObject({ code: 'SshUnreachable', field: 'spec.nodes', retryable: true });
    expect(await bench.condition('Ready')).toBe('False SshUnreachable');
    expect(await bench.condition('Synced')).toBe('False ReconcileError');

    await expect(bench.pass(aContext({ traceId: 'b'.repeat(32) }))).rejects.toThrow();
    expect((await bench.read()).status).toEqual(status);

    bench.engine.failure = undefined;
    await bench.pass();
    expect((await bench.read()).status?.failure).toBeUndefined();
    expect(await bench.condition('Ready')).toBe('True Ready');
  });

  it('keeps what went wrong on show while the same work is tried again', async () => {
    bench.engine.failure = engineFailure('SshUnreachable', 'No machine answers');
    await bench.create(machineSpec());
    await expect(bench.pass()).rejects.toThrow();
    bench.slots.request('another cluster');
    await bench.pass();

    expect((await bench.read()).status?.failure?.code).toBe('SshUnreachable');
  });

  it('leaves the status alone when the process stops in the middle', async () => {
    await bench.makeReady(machineSpec());
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    const stopping = new AbortController();
    const interrupted = new PlatformError('Unavailable', 'Interrupted', {
      retry: 'now',
      details: { reason: 'Interrupted' },
    });
    bench.engine.duringRun = () => {
      stopping.abort(interrupted);
      return Promise.reject(new Error('stopped'));
    };

    await expect(bench.pass(aContext({ remoteSignal: stopping.signal }))).rejects.toBe(interrupted);
    expect((await bench.read()).status?.failure).toBeUndefined();
  });

  it('refuses to make a second key when the first one is lost', async () => {
    const { metadata } = await bench.create();
    await bench.pass();
    await bench.secrets.removeOwner(metadata.uid);

    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshKeyLost' } });
    expect(await bench.secrets.versions(metadata.uid, 'ssh-private-key')).toEqual([]);
  });

  it('publishes the same key again when the status was lost', async () => {
    await bench.create();
    await bench.pass();
    const found = await bench.read();
    await bench.local.clusters.saveStatus(found, {});
    await bench.pass();

    expect((await bench.read()).status?.sshPublicKey).toBe(found.status?.sshPublicKey);
  });
});

describe('looking after a cluster', () => {
  beforeEach(() => bench.makeReady(machineSpec()));

  it('runs the engine again when machines come and go', async () => {
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    await bench.pass();

    expect(bench.engine.calls).toEqual(['settle', 'up', 'settle', 'up']);
    expect((await bench.read()).status?.nodes).toHaveLength(3);
  });

  it('waits until nodes that are no longer asked for have left', async () => {
    bench.target.setNode('demo-workers-1', { ready: true });

    expect(await bench.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    bench.target.interfere({ apiVersion: 'v1', kind: 'Node', name: 'demo-workers-1' });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  describe('whose engine fails', () => {
    beforeEach(async () => {
      bench.engine.failure = engineFailure('SshUnreachable', 'One machine does not answer');
      await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    });

    it('sees which nodes there are all the same, and says what failed', async () => {
      bench.engine.duringRun = () => {
        bench.target.setNode('demo-workers-1', { ready: true });
        bench.target.interfere({ apiVersion: 'v1', kind: 'Node', name: 'demo-workers-0' });
        return Promise.resolve();
      };
      await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });

      const { status } = await bench.read();
      expect(status?.nodes?.map(({ name }) => name)).toEqual(['demo-control-plane-0', 'demo-workers-1']);
      expect(await bench.condition('NodesReady')).toBe('False WaitingForNodes');
      expect(await bench.condition('Ready')).toBe('False SshUnreachable');
      expect(status?.progress?.message).toBe('Starting etcd');
    });

    it('takes no version for the version of the cluster that not all nodes may have', async () => {
      const { version } = (await bench.read()).status!;
      bench.target.version = () => Promise.resolve('v1.32.0');
      await expect(bench.pass()).rejects.toThrow();

      expect((await bench.read()).status?.version).toBe(version);
    });

    it('believes in it for the grace time when it is silent as well, then knows nothing', async () => {
      bench.target.isDown = true;
      await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });
      expect(await bench.condition('ControlPlaneReady')).toBe('True Ready');

      bench.nowMs += 61_000;
      await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });
      expect(await bench.condition('ControlPlaneReady')).toBe('Unknown ConnectionDown');
    });

    it('knows nothing of one that is silent from run to run, however long each takes', async () => {
      bench.target.isDown = true;
      await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });
      bench.nowMs += 50 * 60_000;
      await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });

      expect(await bench.condition('ControlPlaneReady')).toBe('Unknown ConnectionDown');
    });

    it('believes in it anew when it answered in between', async () => {
      const fail = (): Promise<void> => expect(bench.pass()).rejects.toThrow();
      bench.target.isDown = true;
      await fail();
      bench.target.isDown = false;
      bench.nowMs += 30_000;
      await fail();
      bench.target.isDown = true;
      bench.nowMs += 40_000;
      await fail();

      expect(await bench.condition('ControlPlaneReady')).toBe('True Ready');
    });

    it('fails for what the engine says, whatever comes of the look', async () => {
      bench.target.list = () => Promise.reject(new Error('Not a list'));

      await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });
    });
  });

  it('names the nodes that are not ready', async () => {
    bench.target.setNode('demo-workers-0', { ready: false });

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForNodes' });
    expect(await bench.condition('NodesReady')).toBe('False WaitingForNodes');
    expect((await bench.read()).status?.conditions?.find(({ type }) => type === 'NodesReady')?.message).toBe(
      'Not ready: demo-workers-0',
    );
    expect(await bench.condition('ControlPlaneReady')).toBe('True Ready');
    expect(bench.engine.calls).toEqual(['settle', 'up']);
  });

  it('believes in a silent cluster for the grace time, then knows nothing, then recovers', async () => {
    bench.target.isDown = true;
    const revision = await bench.local.revision();
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ConnectionDown' });
    expect(await bench.condition('Ready')).toBe('True Ready');

    bench.nowMs += 61_000;
    await bench.pass();
    for (const type of ['Ready', 'ControlPlaneReady', 'NodesReady']) {
      expect(await bench.condition(type)).toBe('Unknown ConnectionDown');
    }
    expect((await bench.read()).status?.nodes).toHaveLength(2);

    bench.target.isDown = false;
    await bench.pass();
    expect(await bench.condition('Ready')).toBe('True Ready');
    expect(Number(await bench.local.revision()) - Number(revision)).toBeLessThanOrEqual(4);
  });

  it.each(['Unavailable', 'Timeout', 'TooManyRequests'] as const)(
    'believes for the grace time only in one that says its version and fails at its nodes: %s',
    async (code) => {
      const list = bench.target.list.bind(bench.target);
      bench.target.list = () => Promise.reject(new PlatformError(code, `etcdserver: request timed out`));
      expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'ClusterError' });
      expect(await bench.condition('ControlPlaneReady')).toBe('True Ready');

      bench.nowMs += 61_000;
      await bench.pass();
      for (const type of ['Ready', 'ControlPlaneReady', 'NodesReady']) {
        expect(await bench.condition(type)).toBe('Unknown ClusterError');
      }

      bench.target.list = list;
      await bench.pass();
      expect(await bench.condition('Ready')).toBe('True Ready');
    },
  );

  it.each([
    { reason: 'AnswerTooLarge', verb: 'list' },
    { reason: 'Redirected', verb: 'list' },
    { reason: 'Redirected', verb: 'version' },
  ] as const)('says of one that answers its $verb as nobody should how it does: $reason', async ({ reason, verb }) => {
    const error = new PlatformError('Unavailable', 'Far too much', { details: { reason } });
    Object.assign(bench.target, { [verb]: () => Promise.reject(error) });
    await bench.pass();
    bench.nowMs += 61_000;
    await bench.pass();

    const { status } = await bench.read();
    expect(status?.conditions?.find(({ type }) => type === 'ControlPlaneReady')).toMatchObject({
      ...{ status: 'Unknown', reason, message: 'Far too much' },
    });
  });

  it('says that a cluster which never answered is not up yet', async () => {
    bench = new ClusterBench();
    bench.target.isDown = true;
    await bench.create(machineSpec());

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForControlPlane' });
    expect(await bench.condition('ControlPlaneReady')).toBe('False WaitingForControlPlane');
    expect(await bench.condition('Synced')).toBe('True ReconcileSuccess');
  });
});

describe('a process that dies after any phase', () => {
  it.each([0, 1, 2, 3, 4])(
    'is followed by one that ends in the same state (bringing up, %i phases done)',
    async (done) => {
      await bench.create(machineSpec());
      await bench.dieAfter(bench.phases.bringUp.slice(0, done), 'bringUp');
      await bench.pass();

      expect(await bench.condition('Ready')).toBe('True Ready');
      expect(bench.engine.calls.filter((call) => call === 'up')).toHaveLength(1);
      const { uid } = (await bench.read()).metadata;
      expect(await bench.secrets.versions(uid, 'ssh-private-key')).toHaveLength(1);
    },
  );

  it.each([0, 1, 2, 3, 4])(
    'is followed by one that ends in the same state (tearing down, %i phases done)',
    async (done) => {
      await bench.makeReady(machineSpec());
      await bench.requestDeletion();
      await bench.dieAfter(bench.phases.tearDown.slice(0, done), 'tearDown');
      await bench.pass();

      await expect(bench.read()).rejects.toThrow('gone');
      expect(bench.engine.calls.filter((call) => call === 'remove')).toHaveLength(1);
      expect(await bench.secrets.countOwners()).toBe(0);
    },
  );
});
