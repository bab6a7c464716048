import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlatformError } from '@crate/errors';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { InMemorySecretStore } from '@crate/secrets';
import { currentTraceparent, InMemoryTracer, runInSpan } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { FakeConnections } from '../testing/fakes.js';
import { KEY } from '../testing/local-clients.js';
import { NodeWatches } from './node-watches.js';

const UID = 'uid-demo';

let target: InMemoryTargetCluster;
let secrets: InMemorySecretStore;
let watches: NodeWatches;
let changes: number;

beforeEach(async () => {
  target = new InMemoryTargetCluster();
  secrets = new InMemorySecretStore();
  await secrets.put(UID, 'kubeconfig', Buffer.from('kubeconfig'));
  target.setNode('worker-0', { ready: true });
  changes = 0;
  const connections = new FakeConnections(secrets, target);
  watches = new NodeWatches({ connections, onChange: () => (changes += 1), streamMs: 60_000, firstPauseMs: 5 });
  watches.ensure(KEY, UID);
  await eventually(() => expect(target.isWatched).toBe(true));
});
afterEach(() => watches.close());

describe('NodeWatches', () => {
  it('watches a cluster once, however often it is asked to', () => {
    for (let round = 0; round < 10; round += 1) watches.ensure(KEY, UID);

    expect(watches.size).toBe(1);
    expect(changes).toBe(0);
  });

  it.each([
    { name: 'a node falls ill', change: async () => target.setNode('worker-0', { ready: false }) },
    { name: 'a node comes', change: async () => target.setNode('worker-1', { ready: true }) },
    { name: 'a node is upgraded', change: async () => target.setNode('worker-0', { ready: true, version: 'v1.32.4' }) },
    { name: 'a node goes', change: () => target.remove({ apiVersion: 'v1', kind: 'Node', name: 'worker-0' }) },
  ])('tells when $name', async ({ change }) => {
    await change();

    await eventually(() => expect(changes).toBe(1));
  });

  it('is part of no pass, though a pass asks for it', async () => {
    watches.close();
    target = new InMemoryTargetCluster();
    const seen: unknown[] = [];
    const onChange = (): void => void seen.push(currentTraceparent() ?? 'no trace');
    watches = new NodeWatches({ connections: new FakeConnections(secrets, target), onChange });
    runInSpan(new InMemoryTracer().begin('pass'), {}, () => watches.ensure(KEY, UID));
    await eventually(() => expect(target.isWatched).toBe(true));
    target.setNode('worker-0', { ready: true });
    await eventually(() => expect(seen).toEqual(['no trace']));
  });

  it('says nothing about heartbeats', async () => {
    for (let beat = 0; beat < 20; beat += 1) target.setNode('worker-0', { ready: true });
    target.setNode('worker-0', { ready: false });

    await eventually(() => expect(changes).toBe(1));
  });

  it('tells once when a cluster falls silent, and once when it is back', async () => {
    target.isDown = true;
    target.setNode('worker-0', { ready: true });
    await eventually(() => expect(changes).toBe(1));

    target.isDown = false;
    await eventually(() => expect(changes).toBe(2));
    target.setNode('worker-0', { ready: false });
    await eventually(() => expect(changes).toBe(3));
  });

  it.each([
    { how: 'says Gone', error: new PlatformError('Gone', 'too old') },
    { how: 'ends', error: undefined },
    { how: 'breaks', error: new PlatformError('Unavailable', 'cut') },
  ])('does not begin at once again when a watch $how at once', async ({ error }) => {
    watches.close();
    let begun = 0;
    target.watch = async function* () {
      begun += 1;
      await setImmediate();
      if (error) throw error;
    };
    watches = new NodeWatches({
      ...{ connections: new FakeConnections(secrets, target), onChange: () => undefined },
      ...{ firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 },
    });
    watches.ensure(KEY, UID);
    await eventually(() => expect(begun).toBeGreaterThan(0));

    for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
    expect(begun).toBe(1);
  });

  it('keeps no more than there may be of a cluster that tells of ever more nodes', async () => {
    for (let node = 0; node < 10_000; node += 1) target.setNode(`made-up-${node}`, { ready: true });
    await eventually(() => expect(target.isWatched).toBe(false));

    await target.remove({ apiVersion: 'v1', kind: 'Node', name: 'made-up-0' });
    await eventually(() => expect(target.isWatched).toBe(true));
  });

  it('ends when the cluster is forgotten', async () => {
    await secrets.removeOwner(UID);
    target.isDown = true;
    target.setNode('worker-0', { ready: true });

    await eventually(() => expect(watches.size).toBe(0));
  });

  it('ends when told to', async () => {
    watches.drop(UID);

    expect(watches.size).toBe(0);
    await eventually(() => expect(target.isWatched).toBe(false));
    target.setNode('worker-0', { ready: false });
    expect(changes).toBe(0);
  });
});
