import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import type { InMemoryTargetCluster } from '../in-memory-target-cluster.js';
import type { TargetCluster, TargetRef } from '../target-cluster.js';

export interface TargetClusterFixture {
  readonly cluster: TargetCluster;
  /** What the cluster consists of, to change it behind its API. */
  readonly inside: InMemoryTargetCluster;
  readonly close: () => Promise<void>;
}

const options = { fieldManager: 'test', force: true };

export function configMap(name: string, data: Record<string, string> = {}): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

/** What every `TargetCluster` promises. */
export function targetClusterContract(name: string, open: () => Promise<TargetClusterFixture>): void {
  describe(`${name} as a TargetCluster`, () => {
    let fixture: TargetClusterFixture;
    let cluster: TargetCluster;
    beforeEach(async () => {
      fixture = await open();
      cluster = fixture.cluster;
    });
    afterEach(() => fixture.close());

    it('creates what is applied, and stores nothing when the same is applied again', async () => {
      const first = await cluster.applyObject(configMap('a', { key: 'one' }), options);
      const second = await cluster.applyObject(configMap('a', { key: 'one' }), options);

      expect(first).toMatchObject({ kind: 'ConfigMap', data: { key: 'one' } });
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it('shows what an apply would store without storing it', async () => {
      await cluster.applyObject(configMap('a', { key: 'one' }), options);
      const preview = await cluster.applyObject(configMap('a', { key: 'two' }), { ...options, dryRun: true });

      expect(preview).toMatchObject({ data: { key: 'two' } });
      expect(await cluster.find(ref('a'))).toMatchObject({ data: { key: 'one' } });
    });

    it('finds nothing where nothing is, and says NotFound to get', async () => {
      expect(await cluster.find(ref('absent'))).toBeUndefined();
      await expect(cluster.get(ref('absent'))).rejects.toMatchObject({ code: 'NotFound' });
    });

    it('removes, and takes absent for removed', async () => {
      await cluster.applyObject(configMap('a'), options);
      await cluster.remove(ref('a'));
      await cluster.remove(ref('a'));

      expect(await cluster.find(ref('a'))).toBeUndefined();
    });

    it('evicts a pod unless a budget keeps it, and takes absent for gone', async () => {
      const pod = (name: string): TargetRef => ({ apiVersion: 'v1', kind: 'Pod', name, namespace: 'default' });
      for (const name of ['a', 'kept']) {
        const metadata = { name, namespace: 'default' };
        await cluster.applyObject({ apiVersion: 'v1', kind: 'Pod', metadata }, options);
      }
      fixture.inside.keptPods.add('kept');

      await cluster.evict(pod('a'));
      await cluster.evict(pod('a'));
      await expect(cluster.evict(pod('kept'))).rejects.toMatchObject({ code: 'TooManyRequests' });
      expect(await cluster.find(pod('a'))).toBeUndefined();
      expect(await cluster.find(pod('kept'))).toBeDefined();
    });

    it('lists every object with its kind, over as many pages as it takes', async () => {
      for (const each of ['a', 'b', 'c', 'd', 'e']) await cluster.applyObject(configMap(each), options);
      const { items } = await cluster.list('v1', 'ConfigMap');

      expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
        ['a', 'b', 'c', 'd', 'e'].map((each) => `ConfigMap ${each}`),
      );
    });

    it('tells its version and its nodes, sorted by name', async () => {
      fixture.inside.setNode('worker-0', { ready: false });
      fixture.inside.setNode('control-plane-0', { ready: true, controlPlane: true });

      expect(await cluster.version()).toBe('v1.31.4');
      expect(await cluster.nodes()).toEqual([
        { name: 'control-plane-0', role: 'control-plane', ready: true, version: 'v1.31.4', unschedulable: false },
        { name: 'worker-0', role: 'worker', ready: false, version: 'v1.31.4', unschedulable: false },
      ]);
    });

    it('delivers changes as they happen, until told to stop', async () => {
      const stop = new AbortController();
      const { resourceVersion } = await cluster.list('v1', 'Node');
      const events = cluster
        .watch('v1', 'Node', { resourceVersion, timeoutMs: 30_000 }, stop.signal)
        [Symbol.asyncIterator]();
      const next = events.next();
      // The fake has no history: change something only once somebody listens.
      while (!fixture.inside.isWatched) await new Promise((resolve) => setImmediate(resolve));
      fixture.inside.setNode('worker-0', { ready: true });

      expect((await next).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'worker-0' } } });
      stop.abort();
      await events.return?.();
    });

    it('says ConnectionDown when nobody answers', async () => {
      fixture.inside.isDown = true;

      await expect(cluster.version()).rejects.toMatchObject({ code: 'Unavailable' });
    });
  });
}

function ref(name: string): { apiVersion: string; kind: string; name: string; namespace: string } {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'default' };
}
