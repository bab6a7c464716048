import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { continueAt, type StoreQuery } from '../index.js';
import { WIDGETS, widget, type StoreBench } from './store-bench.js';

/** Lists, selectors and pages. */
export function describeLists(bench: StoreBench): void {
  describe('list', () => {
    it('is ordered by namespace and name, of one kind, with the revision it shows', async () => {
      for (const [name, namespace] of [
        ['b', 'team-b'],
        ['c', 'team-a'],
        ['a', 'team-b'],
        ['B', 'team-a'],
      ] as const) {
        await bench.store.create(widget(name, { namespace }));
      }
      await bench.store.create({ ...widget('z'), kind: 'Gadget' });

      expect(await bench.names()).toEqual(['B', 'c', 'a', 'b']);
      expect(await bench.names({ namespace: 'team-b' })).toEqual(['a', 'b']);
      const { kind, metadata } = await bench.store.list(WIDGETS);
      expect({ kind, metadata }).toEqual({ kind: 'WidgetList', metadata: { resourceVersion: '5' } });
    });

    it('is empty at the current revision when nothing matches', async () => {
      await bench.store.create(widget('one'));

      const list = await bench.store.list({ ...WIDGETS, kind: 'Nothing' });
      expect(list).toMatchObject({ items: [], metadata: { resourceVersion: '1' } });
    });

    it.each([
      ['app=web', ['a', 'b']],
      ['app==web,tier!=gold', ['b']],
      ['app!=web', ['c', 'd']],
      ['app in (web, db)', ['a', 'b', 'c']],
      ['app notin (web,db)', ['d']],
      ['tier', ['a']],
      ['!app', ['d']],
      ['example.com/zone=', ['d']],
      ['app=web,app=db', []],
    ])('selects by label %s', async (labelSelector, want) => {
      await bench.store.create(widget('a', { labels: { app: 'web', tier: 'gold' } }));
      await bench.store.create(widget('b', { labels: { app: 'web' } }));
      await bench.store.create(widget('c', { labels: { app: 'db' } }));
      await bench.store.create(widget('d', { labels: { 'example.com/zone': '' } }));

      expect(await bench.names({ labelSelector })).toEqual(want);
    });

    it.each([
      ['metadata.name=a', ['a']],
      ['metadata.name!=a', ['b', 'c']],
      ['metadata.namespace=team-a,spec.size=1', ['a', 'b']],
      ['spec.engine=rke', ['a']],
      ['spec.engine!=rke', ['b', 'c']],
      ['spec.engine=', ['b', 'c']],
      ['spec.paused=true', ['b']],
      ['spec.nested=', ['a', 'b', 'c']],
      ['spec.list.0.name=first', ['c']],
      ['spec.text=a\\,b\\=c\\\\d', ['c']],
    ])('selects by field %s', async (fieldSelector, want) => {
      await bench.store.create(widget('a', {}, { spec: { size: 1, engine: 'rke', nested: { a: 1 } } }));
      await bench.store.create(widget('b', {}, { spec: { size: 1, paused: true, engine: null } }));
      await bench.store.create(widget('c', {}, { spec: { size: 2, text: 'a,b=c\\d', list: [{ name: 'first' }] } }));

      expect(await bench.names({ fieldSelector })).toEqual(want);
    });

    it('shows parts of objects where parts are asked for', async () => {
      const managedFields = [{ manager: 'm', operation: 'Apply', time: '', fieldsV1: {} }] as never;
      await bench.store.create(
        widget('a', { managedFields }, { spec: { size: 1, engine: 'rke' }, status: { ok: true } }),
      );
      const { items } = await bench.store.list(WIDGETS, { onlySpec: ['size', 'absent'] });
      const { uid, namespace, generation, resourceVersion, creationTimestamp } = items[0]?.metadata ?? {};
      expect(items).toEqual([
        {
          apiVersion: expect.any(String),
          kind: WIDGETS.kind,
          metadata: { name: 'a', uid, namespace, generation, resourceVersion, creationTimestamp },
          spec: { size: 1 },
        },
      ]);
      expect(uid).toBeDefined();
    });

    it.each([{ labelSelector: 'app=(' }, { fieldSelector: 'metadata.name' }])('refuses %j', async (selector) => {
      const message = expect.stringContaining('want');
      await expect(bench.store.list({ ...WIDGETS, ...selector })).rejects.toMatchObject({
        code: 'BadRequest',
        message,
      });
    });
  });

  describe('pages of a list', () => {
    const page = async (
      limit: number,
      token?: string,
      query: Partial<StoreQuery> = {},
    ): ReturnType<typeof bench.store.list> =>
      bench.store.list({ ...WIDGETS, ...query }, { limit, ...(token === undefined ? {} : { continue: token }) });

    it('together are one snapshot, whatever changes in between', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await bench.store.create(widget(name));
      const first = await page(2);
      const snapshot = (await bench.store.list(WIDGETS)).items;

      await bench.remove('d');
      await bench.store.create(widget('d', {}, { spec: { size: 99 } }));
      await bench.store.create(widget('cc'));
      await bench.remove('e');
      const [c] = (await bench.store.list({ ...WIDGETS, fieldSelector: 'metadata.name=c' })).items;
      const twice = await bench.store.update({ ...(c as KubeObject), spec: { size: 2 } });
      await bench.store.update({ ...twice, spec: { size: 3 } });
      const second = await page(2, first.metadata.continue);
      await bench.remove('f');
      const third = await page(2, second.metadata.continue);

      expect([...first.items, ...second.items, ...third.items]).toEqual(snapshot);
      expect(third.metadata).toEqual({ resourceVersion: '6' });
      expect(second.metadata.resourceVersion).toBe('6');
    });

    it('select by what objects were at the snapshot', async () => {
      for (const name of ['a', 'b', 'c']) await bench.store.create(widget(name, { labels: { app: 'x' } }));
      const query = { labelSelector: 'app=x', fieldSelector: 'spec.size=1' };
      const first = await page(1, undefined, query);
      const [b] = (await bench.store.list({ ...WIDGETS, fieldSelector: 'metadata.name=b' })).items as [KubeObject];
      await bench.store.update({ ...b, spec: { size: 2 }, metadata: { ...b.metadata, labels: {} } });
      await bench.store.create(widget('bb', { labels: { app: 'x' } }));

      const second = await page(5, first.metadata.continue, query);
      expect(second.items.map((item) => item.metadata.name)).toEqual(['b', 'c']);
    });

    it('begin anew at a version, or go on at another one, with a token made for it', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await bench.store.create(widget(name));
      const first = await page(2);
      const { resourceVersion } = first.metadata;
      await bench.store.create(widget('0'));

      const again = await page(2, continueAt(undefined, resourceVersion));
      expect(again.items).toEqual(first.items);
      expect(again.metadata.resourceVersion).toBe(resourceVersion);
      const now = await bench.store.currentRevision();
      const further = await page(2, continueAt(first.metadata.continue, now));
      expect(further.metadata.resourceVersion).toBe(now);
      expect(further.items).toEqual((await page(2, first.metadata.continue)).items);
    });

    it('are Gone once the log no longer reaches back to the snapshot', async () => {
      for (const name of ['a', 'b', 'c']) await bench.store.create(widget(name));
      const first = await page(1);
      await bench.remove('c');
      await bench.store.compact(0);

      await expect(page(1, first.metadata.continue)).rejects.toMatchObject({ code: 'Gone' });
    });

    it('survive compaction as long as the log reaches back', async () => {
      for (const name of ['a', 'b', 'c']) await bench.store.create(widget(name));
      const first = await page(1);
      await bench.remove('c');
      await bench.store.compact(1);

      const second = await page(5, first.metadata.continue);
      expect(second.items.map((item) => item.metadata.name)).toEqual(['b', 'c']);
    });

    it.each(['nonsense', '', Buffer.from('[1]').toString('base64url')])('refuse the token %j', async (token) => {
      await expect(page(1, token)).rejects.toMatchObject({ code: 'BadRequest' });
    });

    it('end without a token when the limit is just met', async () => {
      await bench.store.create(widget('a'));

      expect((await page(1)).metadata).toEqual({ resourceVersion: '1' });
    });
  });
}
