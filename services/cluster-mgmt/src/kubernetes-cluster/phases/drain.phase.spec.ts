import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { findCondition, FORCE_ANNOTATION, FORCED_ANNOTATION, toTimestamp } from '@crate/api';
import { forbidden, PlatformError, unavailable } from '@crate/errors';
import { KeyRing } from '@crate/secrets';
import { machineSpec } from '../../testing/builders.js';
import { ClusterBench } from '../../testing/cluster-bench.js';
import { KEY } from '../../testing/local-clients.js';

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { type: 'LoadBalancer' },
};

let bench: ClusterBench;
beforeEach(async () => {
  bench = new ClusterBench();
  await bench.makeReady(machineSpec());
  await bench.target.applyObject(SERVICE, { fieldManager: 'test' });
  await bench.requestDeletion();
});
afterEach(() => bench.watches.close());

it.each([
  { how: 'answers', answer: () => bench.target.stuckKinds.add('Service') },
  { how: 'refuses', answer: () => (bench.target.list = () => Promise.reject(forbidden('Not for you'))) },
])('ends the silence of a cluster that $how while it is emptied', async ({ answer }) => {
  bench.watches.close();
  bench = new ClusterBench();
  await bench.makeReady(machineSpec());
  bench.target.isDown = true;
  await bench.pass();
  await bench.requestDeletion();
  await bench.pass();
  expect((await bench.read()).status?.silentSince).toBeDefined();

  bench.target.isDown = false;
  await bench.target.applyObject(SERVICE, { fieldManager: 'test' });
  answer();
  await bench.pass();
  expect((await bench.read()).status?.silentSince).toBeUndefined();
});

describe('removing a cluster that has something at the provider', () => {
  it('waits until it is gone before the engine takes Kubernetes away', async () => {
    bench.target.stuckKinds.add('Service');
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForCloudObjects' });
    expect(bench.engine.calls).not.toContain('remove');
    const { blockers } = (await bench.read()).status!.deletion!;
    expect(blockers).toMatchObject([{ kind: 'Service', name: 'shop/web', reason: 'LoadBalancerLeft' }]);

    bench.target.interfere({ apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'shop' });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls).toContain('remove');
  });

  it('says once it has looked that no volume is to be kept, and nothing of volumes while nobody answers', async () => {
    bench.target.isDown = true;
    await bench.pass();
    expect((await bench.read()).status?.keptVolumes).toBeUndefined();
    bench.target.isDown = false;
    bench.target.stuckKinds.add('Service');
    await bench.pass();
    expect((await bench.read()).status?.keptVolumes).toEqual([]);
  });

  it('writes nothing while the same is in the way, and tells of it once', async () => {
    bench.target.stuckKinds.add('Service');
    await bench.pass();
    const revision = await bench.local.revision();
    bench.nowMs += 60_000;
    await bench.pass();
    expect(await bench.local.revision()).toBe(revision);
    const told = bench.events.events.filter(({ reason }) => reason === 'DeletionWaiting');
    expect(told).toHaveLength(1);
  });

  it('leaves to the cloud what is not gone in time, counted from when it came in the way', async () => {
    bench.target.stuckKinds.add('Service');
    bench.nowMs += 3_600_000;
    await bench.pass();
    bench.nowMs += 599_000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting' });
    bench.nowMs += 2_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.events.events.map(({ reason }) => reason)).toContain('LeftToTheCloud');
  });

  it('waits no second time for the same while no engine is free, and says once that it is left', async () => {
    bench.target.stuckKinds.add('Service');
    await bench.pass();
    const since = toTimestamp(new Date(bench.nowMs));
    bench.nowMs += 601_000;
    const other = bench.slots.request('other');
    for (let pass = 0; pass < 3; pass += 1) {
      expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForEngineSlot' });
      bench.nowMs += 300_000;
    }
    expect(bench.events.events.filter(({ reason }) => reason === 'LeftToTheCloud')).toHaveLength(1);
    const { status } = await bench.read();
    expect(status?.leftToTheCloud).toEqual([{ kind: 'Service', name: 'shop/web', since }]);
    if (other.granted) other.release();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('calls what is left to the cloud in the way of nothing, however long no engine is free', async () => {
    bench.target.stuckKinds.add('Service');
    await bench.pass();
    bench.nowMs += 901_000;
    bench.slots.request('other');
    await bench.pass();
    const { status } = await bench.read();
    expect(status?.deletion?.blockers).toEqual([]);
    for (const [type, reason] of Object.entries({ Deleting: 'DeletionRequested', Ready: 'Deleting' }))
      expect(findCondition(status?.conditions, type)).toMatchObject({ reason, message: 'Waiting for a free engine' });
    expect(bench.events.events.map(({ reason }) => reason)).not.toContain('DeletionBlocked');
  });

  it('waits for what came later when the rest is gone after all, from when that came', async () => {
    bench.target.stuckKinds.add('Service');
    await bench.pass();
    bench.nowMs += 601_000;
    await bench.target.applyObject(
      { ...SERVICE, metadata: { name: 'late', namespace: 'shop' } },
      { fieldManager: 'test' },
    );
    bench.slots.request('other');
    await bench.pass();
    const since = toTimestamp(new Date(bench.nowMs));
    bench.target.interfere({ apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'shop' });
    bench.nowMs += 60_000;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForCloudObjects' });
    const { status } = await bench.read();
    expect(status?.deletion?.blockers).toMatchObject([{ name: 'shop/late', since }]);
    expect(status).not.toHaveProperty('leftToTheCloud');
  });

  it('says that nobody answers, and goes on without after its patience', async () => {
    bench.target.isDown = true;
    await bench.pass();
    expect((await bench.read()).status?.deletion?.blockers).toMatchObject([
      { kind: 'KubernetesCluster', name: 'demo', reason: 'ConnectionDown', message: 'The API server does not answer' },
    ]);
    bench.nowMs += 601_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    await expect(bench.read()).rejects.toThrow('gone');
  });

  it('waits as long after a pass that failed on a host whose clock is behind that of the database', async () => {
    bench.hostAheadMs = -600_000;
    jest.spyOn(bench.engine, 'settleEarlierRuns').mockRejectedValueOnce(unavailable('An earlier run may be alive'));
    await expect(bench.pass()).rejects.toMatchObject({ code: 'Unavailable' });
    bench.target.isDown = true;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForCloudObjects' });
  });

  it('goes on at once when an administrator gave up, after it did what it can', async () => {
    bench.target.stuckKinds.add('Service');
    const annotations = { [FORCE_ANNOTATION]: 'closed', [FORCED_ANNOTATION]: '2026-01-31T12:00:00Z ada' };
    await bench.local.clusters.merge(KEY.name, KEY.namespace, { metadata: { annotations } });
    expect(await bench.pass()).toEqual({ kind: 'settled' });

    expect(bench.target.writes).toContain('remove Service web');
    const told = bench.events.events.map(({ reason, message }) => `${reason}: ${message}`);
    expect(told).toContain('Abandoned: Left behind: Service shop/web, because ada said so: closed');
  });

  it('goes on when the key that the way in stands under is lost and an administrator gave up', async () => {
    const withoutKey = (): Promise<undefined> => new KeyRing([]).digest(Buffer.of(), 'lost').then(() => undefined);
    bench.secrets.find = withoutKey;
    bench.engine.remove = withoutKey;
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForCloudObjects' });
    expect((await bench.read()).status?.deletion?.blockers).toMatchObject([{ reason: 'EncryptionKeyMissing' }]);

    const annotations = { [FORCE_ANNOTATION]: 'closed', [FORCED_ANNOTATION]: '2026-01-31T12:00:00Z ada' };
    await bench.local.clusters.merge(KEY.name, KEY.namespace, { metadata: { annotations } });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('takes away all that it can when the cluster refuses one thing, and says what was refused', async () => {
    const refusal = new PlatformError('Unavailable', 'failed calling webhook', { details: { reason: 'ClusterError' } });
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'shop' } };
    const namespaces = ['shop', 'other'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    for (const each of [claim, ...namespaces]) await bench.target.applyObject(each, { fieldManager: 'test' });
    bench.target.refusal = ({ kind, metadata }) =>
      kind === 'ResourceQuota' && metadata.namespace === 'shop' ? refusal : undefined;
    const remove = bench.target.remove.bind(bench.target);
    bench.target.remove = (ref) => (ref.kind === 'Service' ? Promise.reject(refusal) : remove(ref));

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForCloudObjects' });
    expect(bench.target.contents()).toContain('ResourceQuota crate-deletion');
    expect(bench.target.contents()).not.toContain('PersistentVolumeClaim data');
    const { status } = await bench.read();
    expect(status?.keptVolumes).toEqual([]);
    expect(status?.deletion?.blockers).toMatchObject([
      { kind: 'KubernetesCluster', reason: 'ClusterError', message: 'failed calling webhook' },
      { kind: 'Service', name: 'shop/web', reason: 'LoadBalancerLeft' },
    ]);
  });
});
