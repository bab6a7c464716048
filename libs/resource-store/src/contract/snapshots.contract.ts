import { describe, expect, it } from '@jest/globals';
import type { StoreListOptions } from '../index.js';
import { WIDGETS, widget, type StoreBench } from './store-bench.js';

/** Lists of stated revisions, and what pages say about the rest. */
export function describeSnapshots(bench: StoreBench): void {
  const create = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await bench.store.create(widget(name));
  };

  describe('a list of a stated revision', () => {
    const list = async (options: StoreListOptions, query = {}): ReturnType<typeof bench.store.list> =>
      bench.store.list({ ...WIDGETS, ...query }, options);

    it('shows exactly that state, in pages too', async () => {
      await create('a', 'b', 'c');
      await bench.remove('b');
      await create('d');

      const then = await list({ exactly: '3' });
      expect(then.items.map((item) => item.metadata.name)).toEqual(['a', 'b', 'c']);
      expect(then.metadata).toEqual({ resourceVersion: '3' });
      const first = await list({ exactly: '4', limit: 1 });
      expect(first.metadata).toMatchObject({ resourceVersion: '4', remainingItemCount: 1 });
      const rest = await list({ limit: 5, continue: first.metadata.continue as string });
      expect([...first.items, ...rest.items].map((item) => item.metadata.name)).toEqual(['a', 'c']);
    });

    it('is Gone when the log does not reach back to it', async () => {
      await create('a', 'b', 'c');
      await bench.store.compact(1);

      expect((await list({ exactly: '2' })).items).toHaveLength(2);
      await expect(list({ exactly: '1' })).rejects.toMatchObject({ code: 'Gone', details: { reason: 'Expired' } });
    });

    it.each([{ exactly: '4' }, { notBefore: '4' }])(
      'says that %j is too large before it is reached',
      async (options) => {
        await create('a', 'b', 'c');

        const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
        await expect(list(options)).rejects.toMatchObject({ code: 'Timeout', details: { causes } });
        await create('d');
        expect((await list(options)).items).toHaveLength(4);
      },
    );

    it('is the newest state when it need only not be older', async () => {
      await create('a', 'b');

      expect((await list({ notBefore: '1' })).metadata).toEqual({ resourceVersion: '2' });
    });

    it.each([{ exactly: 'x' }, { notBefore: '-1' }])('refuses %j', async (options) => {
      await expect(list(options)).rejects.toMatchObject({ code: 'BadRequest' });
    });
  });

  describe('the number of remaining items', () => {
    it('counts down over the pages of the snapshot, whatever is written meanwhile', async () => {
      await create('a', 'b', 'c', 'd', 'e');
      await bench.store.create({ ...widget('other'), kind: 'Gadget' });
      const seen: (number | undefined)[] = [];
      let token: string | undefined;
      do {
        const page = await bench.store.list(WIDGETS, { limit: 2, ...(token === undefined ? {} : { continue: token }) });
        seen.push(page.metadata.remainingItemCount);
        token = page.metadata.continue;
        await create(`x${seen.length}`);
      } while (token !== undefined);

      expect(seen).toEqual([3, 1, undefined]);
    });

    it('is of the namespace that is listed', async () => {
      await create('a', 'b');
      await bench.store.create(widget('c', { namespace: 'team-b' }));

      const page = await bench.store.list({ ...WIDGETS, namespace: 'team-a' }, { limit: 1 });
      expect(page.metadata.remainingItemCount).toBe(1);
    });

    it.each([{ labelSelector: '!absent' }, { fieldSelector: 'spec.size=1' }])(
      'is not told with %j',
      async (selector) => {
        await create('a', 'b');

        const page = await bench.store.list({ ...WIDGETS, ...selector }, { limit: 1 });
        expect(page.metadata.continue).toBeDefined();
        expect(page.metadata.remainingItemCount).toBeUndefined();
      },
    );
  });

  describe('an expired token', () => {
    it('comes with one that goes on with the newest state', async () => {
      await create('a', 'b', 'c', 'd');
      const first = await bench.store.list(WIDGETS, { limit: 2 });
      await bench.remove('c');
      await create('e');
      await bench.store.compact(0);

      const expired = bench.store.list(WIDGETS, { limit: 2, continue: first.metadata.continue as string });
      const { code, details } = (await expired.catch((error: unknown) => error)) as {
        readonly code: string;
        readonly details: { readonly continue: string };
      };
      expect(code).toBe('Gone');
      const next = await bench.store.list(WIDGETS, { limit: 1, continue: details.continue });
      expect(next.items.map((item) => item.metadata.name)).toEqual(['d']);
      expect(next.metadata).toMatchObject({ resourceVersion: '6', remainingItemCount: 1 });
      const last = await bench.store.list(WIDGETS, { limit: 1, continue: next.metadata.continue as string });
      expect(last.items.map((item) => item.metadata.name)).toEqual(['e']);
    });
  });
}
