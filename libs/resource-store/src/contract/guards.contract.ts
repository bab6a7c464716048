import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { digestOf, type StoreGuard, type StoreWriteOptions } from '../index.js';
import { keyFor, ownedBy, widget, WIDGETS, type StoreBench } from './store-bench.js';

const TEAM_A = { ...WIDGETS, namespace: 'team-a' };

/** Writes that hold only while other objects are as they were seen. */
export function describeGuards(bench: StoreBench): void {
  describe('a guard', () => {
    let one: KubeObject;
    let guards: readonly StoreGuard[];
    beforeEach(async () => {
      one = await bench.store.create(widget('one'));
      await bench.store.create(widget('other', { namespace: 'team-b' }));
      guards = [await seen()];
    });

    async function seen(): Promise<StoreGuard> {
      const { items } = await bench.store.list(TEAM_A);
      return { ...TEAM_A, digest: digestOf(items) };
    }

    async function refused(work: (options: StoreWriteOptions) => Promise<unknown>): Promise<void> {
      const before = await bench.revision();
      await expect(work({ guards })).rejects.toMatchObject({ code: 'Conflict', details: { reason: 'GuardChanged' } });
      expect(await bench.revision()).toBe(before);
    }

    it('lets writes through while nothing was added, changed or removed', async () => {
      await bench.store.create(widget('two'), { guards });
      guards = [await seen()];
      const changed = await bench.store.update({ ...one, spec: { size: 2 } }, { guards });
      guards = [await seen()];
      await bench.store.remove(keyFor(changed.metadata.name), { guards });
      expect(await bench.names({ namespace: 'team-a' })).toEqual(['two']);
    });

    it.each([
      { reason: 'another was added', change: () => bench.store.create(widget('two')) },
      { reason: 'one was changed', change: () => bench.store.update({ ...one, spec: { size: 2 } }) },
      { reason: 'one was removed', change: () => bench.remove('one') },
      {
        reason: 'one was replaced',
        change: async () => {
          await bench.remove('one');
          await bench.store.create(widget('one'));
        },
      },
    ])('refuses a write when $reason', async ({ change }) => {
      await change();
      await refused((options) => bench.store.create(widget('three'), options));
      await refused((options) =>
        bench.store.update({ ...widget('other', { namespace: 'team-b' }), spec: { size: 9 } }, options),
      );
      await refused((options) => bench.store.remove(keyFor('other', 'team-b'), options));
    });

    it('does not mind what is said of the objects, nor objects of other kinds and namespaces', async () => {
      await bench.store.update({ ...one, status: { ready: true } });
      await bench.store.create(widget('three', { namespace: 'team-b' }));
      await bench.store.create({ ...widget('one'), kind: 'Gadget' });
      await bench.store.create(widget('two'), { guards });
      expect(await bench.isThere('two')).toBe(true);
    });

    it('may be about one object', async () => {
      const guard = { ...TEAM_A, name: 'one', digest: digestOf([one]) };
      await bench.store.create(widget('two'), { guards: [guard] });
      await bench.remove('one');
      guards = [guard];
      await refused((options) => bench.store.create(widget('three'), options));
    });

    it('holds for what there is not', async () => {
      const guard = { ...TEAM_A, name: 'two', digest: digestOf([]) };
      await bench.store.create(widget('three'), { guards: [guard] });
      await bench.store.create(widget('two'));
      guards = [guard];
      await refused((options) => bench.store.create(widget('four'), options));
    });

    it('does not keep a write from changing nothing', async () => {
      await bench.store.create(widget('two'));
      expect(await bench.store.update(one, { guards })).toEqual(one);
    });

    it('holds with a cascade', async () => {
      await bench.store.create(widget('child', { namespace: 'team-a', ownerReferences: ownedBy(one) }));
      await refused((options) => bench.store.remove(keyFor('one'), options));
      guards = [await seen()];
      await bench.store.remove(keyFor('one'), { guards });
      expect(await bench.names({ namespace: 'team-a' })).toEqual([]);
    });

    it('lets one of many through that come at once', async () => {
      const creates = Array.from({ length: 20 }, (_, index) => bench.store.create(widget(`w${index}`), { guards }));
      const settled = await Promise.allSettled(creates);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await bench.names({ namespace: 'team-a' })).toHaveLength(2);
    });
  });
}
