import type { KubeList } from '@crate/api';
import type { ResourceStore } from '@crate/resource-store';
import { describe, expect, it, jest } from '@jest/globals';
import { aCluster } from '../testing/a-cluster.js';
import { CountedUsage } from './counted-usage.js';

/** A store whose lists are answered one by one. */
function listing(): { store: Pick<ResourceStore, 'list'>; answer: (...names: string[]) => void } {
  const waiting: ((list: KubeList) => void)[] = [];
  const list = jest.fn<ResourceStore['list']>(() => new Promise((resolve) => waiting.push(resolve)));
  const answer = (...names: string[]): void => {
    const items = names.map((name) => ({ ...aCluster(), metadata: { ...aCluster().metadata, name, uid: name } }));
    waiting.shift()?.({ items } as unknown as KubeList);
  };
  return { store: { list }, answer };
}

describe('what clusters take up', () => {
  it('is counted anew for whoever asks while it is counted, once for all of them', async () => {
    const { store, answer } = listing();
    const usage = new CountedUsage(store);
    const first = usage.of('team-a');
    const others = [usage.of('team-a'), usage.of('team-a'), usage.of('team-a')];
    answer('one');
    expect((await first).used.clusters).toBe(1);
    await Promise.resolve();
    answer('one', 'two');
    const counts = await Promise.all(others);
    expect(counts.map(({ used }) => used.clusters)).toEqual([2, 2, 2]);
    expect(counts[0]!.guard.digest).not.toBe((await first).guard.digest);
    expect(store.list).toHaveBeenCalledTimes(2);
  });

  it('is never remembered', async () => {
    const { store, answer } = listing();
    const usage = new CountedUsage(store);
    for (const names of [['one'], ['one', 'two']]) {
      const asked = usage.of('team-a');
      answer(...names);
      expect((await asked).used.clusters).toBe(names.length);
      await Promise.resolve();
    }
  });

  it('is counted for each Project', async () => {
    const { store, answer } = listing();
    const usage = new CountedUsage(store);
    const asked = [usage.of('team-a'), usage.of('team-b')];
    answer('one');
    answer('one', 'two');
    expect((await Promise.all(asked)).map(({ used }) => used.clusters)).toEqual([1, 2]);
  });
});
