import { describe, expect, it } from '@jest/globals';
import type { KubeObject, WatchEvent } from '@crate/api';
import type { ChangeNotice } from '../index.js';
import { keyFor, ownedBy, summary, WIDGETS, widget, type StoreBench } from './store-bench.js';

/** Watches, the log and restarts. */
export function describeWatches(bench: StoreBench): void {
  describe('watch', () => {
    it('delivers every change after a revision, with the object as it was then', async () => {
      const one = await bench.store.create(widget('one'));
      const updated = await bench.store.update({ ...one, spec: { size: 2 } });
      const removed = await bench.remove('one');

      const events = await bench.take(3, {}, '0');
      expect(events).toEqual([
        { type: 'ADDED', object: one },
        { type: 'MODIFIED', object: updated },
        { type: 'DELETED', object: removed },
      ]);
      expect(await bench.take(1, {}, one.metadata.resourceVersion)).toEqual(events.slice(1, 2));
    });

    it('delivers changes made while it runs, of its kind and namespace only', async () => {
      const events = bench.take(2, { namespace: 'team-a' }, await bench.store.currentRevision());
      await bench.store.create(widget('x', { namespace: 'team-b' }));
      await bench.store.create({ ...widget('y'), kind: 'Gadget' });
      await bench.store.create(widget('one'));
      await bench.store.create(widget('two'));

      expect(summary(await events)).toEqual(['ADDED one', 'ADDED two']);
    });

    it('begins now when no revision is given', async () => {
      await bench.store.create(widget('before'));
      const iterator = bench.store.watch(WIDGETS, { signal: bench.stop.signal })[Symbol.asyncIterator]();
      const first = iterator.next();
      // The place is taken by a query of its own; a bookmark tells that it was.
      await expect(firstBookmark(bench.stop.signal)).resolves.toBe('1');
      await bench.store.create(widget('after'));

      expect(await first).toMatchObject({ value: { object: { metadata: { name: 'after' } } } });
    });

    const firstBookmark = async (signal: AbortSignal): Promise<string> => {
      for await (const event of bench.store.watch(WIDGETS, { signal, bookmarkEveryMs: 1 })) {
        return event.object.metadata.resourceVersion;
      }
      throw new Error('The watch ended');
    };

    it('shows transitions of a selector as ADDED and DELETED', async () => {
      const size = async (value: number): Promise<void> => {
        const [found] = (await bench.store.list({ ...WIDGETS, fieldSelector: 'metadata.name=one' })).items as [
          KubeObject,
        ];
        await bench.store.update({
          ...found,
          spec: { size: value },
          metadata: { ...found.metadata, labels: { size: `${value}` } },
        });
      };
      await bench.store.create(widget('one', { labels: { size: '1' } }));
      for (const value of [2, 3, 2]) await size(value);
      await bench.remove('one');
      await bench.store.create(widget('two', { labels: { size: '2' } }));

      const want = ['ADDED one', 'DELETED one', 'ADDED one', 'DELETED one', 'ADDED two'];
      expect(summary(await bench.take(5, { labelSelector: 'size=2' }, '0'))).toEqual(want);
      expect(summary(await bench.take(4, { fieldSelector: 'spec.size=2' }, '0'))).toEqual(want.slice(0, 4));
      expect(summary(await bench.take(2, { labelSelector: 'size!=2' }, '0'))).toEqual(['ADDED one', 'DELETED one']);
      expect(summary(await bench.take(5, { fieldSelector: 'metadata.name=one' }, '0'))).toEqual([
        'ADDED one',
        ...Array<string>(3).fill('MODIFIED one'),
        'DELETED one',
      ]);
    });

    it('shows an object that leaves a selector as it last matched, at the revision of the change', async () => {
      const one = await bench.store.create(widget('one', { labels: { size: '1' } }));
      const metadata = { ...one.metadata, labels: { size: '2' } };
      const two = await bench.store.update({ ...one, spec: { size: 2 }, metadata });
      const removed = await bench.remove('one');

      const { resourceVersion } = two.metadata;
      const gone = { type: 'DELETED', object: { ...one, metadata: { ...one.metadata, resourceVersion } } };
      expect((await bench.take(2, { labelSelector: 'size=1' }, '0'))[1]).toEqual(gone);
      expect((await bench.take(2, { fieldSelector: 'spec.size=1' }, '0'))[1]).toEqual(gone);
      expect((await bench.take(2, { labelSelector: 'size=2' }, '0'))[1]).toEqual({ type: 'DELETED', object: removed });
    });

    it('sends bookmarks at the revision it has come to, when asked', async () => {
      await bench.store.create({ ...widget('y'), kind: 'Gadget' });
      const options = { fromRevision: '0', signal: bench.stop.signal, bookmarkEveryMs: 5 };
      const seen: WatchEvent[] = [];
      for await (const event of bench.store.watch(WIDGETS, options)) {
        if (seen.push(event) === 2) break;
      }

      const bookmark = {
        type: 'BOOKMARK',
        object: expect.objectContaining({ kind: 'Widget', metadata: { resourceVersion: '1' } }),
      };
      expect(seen).toEqual([bookmark, bookmark]);
    });

    it('ends after its time, with a bookmark where it has come to when bookmarks are asked for', async () => {
      await bench.store.create({ ...widget('y'), kind: 'Gadget' });
      const seen = async (bookmarks: object): Promise<WatchEvent[]> => {
        const events: WatchEvent[] = [];
        const options = { fromRevision: '0', signal: bench.stop.signal, endAfterMs: 20, ...bookmarks };
        for await (const event of bench.store.watch(WIDGETS, options)) events.push(event);
        return events;
      };

      expect(await seen({})).toEqual([]);
      expect(await seen({ bookmarkEveryMs: 60_000 })).toMatchObject([
        { type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } },
      ]);
    });

    it('gives objects that cannot be changed, because all watchers share them', async () => {
      await bench.store.create(widget('one'));
      const [event] = (await bench.take(1, {}, '0')) as [WatchEvent];

      expect(() => ((event.object['spec'] as { size: number }).size = 5)).toThrow(TypeError);
    });

    it('ends when the signal aborts, waiting or not', async () => {
      const waiting = bench.take(1);
      bench.stop.abort();

      expect(await waiting).toEqual([]);
      expect(await bench.take(1, {}, '0')).toEqual([]);
    });

    it('ends when the store closes', async () => {
      const watching = bench.take(1, {}, await bench.store.currentRevision());
      await bench.subject.close();

      expect(await watching).toEqual([]);
    });

    it.each([
      { reason: 'is older than the log', from: '1', code: 'Gone' },
      { reason: 'lies in the future, as after a restored backup', from: '99', code: 'Gone' },
      { reason: 'is no number', from: 'x', code: 'BadRequest' },
    ])('refuses a revision that $reason', async ({ from, code }) => {
      for (const name of ['a', 'b', 'c']) await bench.store.create(widget(name));
      await bench.store.compact(1);

      await expect((async () => bench.take(1, {}, from))()).rejects.toMatchObject({ code });
      expect(summary(await bench.take(1, {}, '2'))).toEqual(['ADDED c']);
    });

    it('resumes behind a compaction with selectors intact', async () => {
      const one = await bench.store.create(widget('one', { labels: { app: 'x' } }));
      await bench.store.create(widget('two'));
      const from = await bench.store.currentRevision();
      await bench.store.compact(0);
      await bench.store.update({ ...one, metadata: { ...one.metadata, labels: {} } });
      await bench.store.compact(1);

      expect(summary(await bench.take(1, { labelSelector: 'app=x' }, from))).toEqual(['DELETED one']);
    });

    it('gives slow and quick readers the same', async () => {
      const readers = [1, 2, 3].map(() => bench.store.watch(WIDGETS, { fromRevision: '0', signal: bench.stop.signal }));
      const slow = readers[0]?.[Symbol.asyncIterator]();
      const seen: string[] = [];
      const first = slow?.next();
      for (let index = 0; index < 1_500; index += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, offset) => bench.store.create(widget(`w${index + offset}`))));
      }
      seen.push(((await first)?.value as WatchEvent).object.metadata.resourceVersion);
      while (seen.length < 1_500)
        seen.push(((await slow?.next())?.value as WatchEvent).object.metadata.resourceVersion);

      expect(seen).toEqual(Array.from({ length: 1_500 }, (_, index) => String(index + 1)));
      expect((await bench.take(1_500, {}, '0')).map((event) => event.object.metadata.resourceVersion)).toEqual(seen);
    });
  });

  describe('changes', () => {
    it('are told to listeners before the write resolves', async () => {
      const told: (readonly [readonly ChangeNotice[], string])[] = [];
      const unsubscribe = bench.store.onChange((notices, origin) => told.push([notices, origin]));
      const one = await bench.store.create(widget('one'));

      const notice = { key: keyFor('one'), uid: one.metadata.uid, revision: '1', type: 'ADDED' };
      expect(told).toEqual([[[notice], 'local']]);
      await bench.store.update(one);
      await expect(bench.store.create(widget('one'))).rejects.toBeDefined();
      unsubscribe();
      await bench.remove('one');
      expect(told).toHaveLength(1);
    });

    it('are read from a revision on, in order and in portions', async () => {
      for (const name of ['a', 'b', 'c']) await bench.store.create(widget(name));

      const revisions = async (from: string, limit: number): Promise<string[]> =>
        (await bench.store.changesSince(from, limit)).map((notice) => notice.revision);
      expect(await revisions('0', 2)).toEqual(['1', '2']);
      expect(await revisions('2', 2)).toEqual(['3']);
      expect(await revisions('3', 2)).toEqual([]);
      await bench.store.compact(1);
      await expect(revisions('1', 2)).rejects.toMatchObject({ code: 'Gone' });
      expect(await revisions('2', 2)).toEqual(['3']);
    });

    it('number every write densely from 1', async () => {
      expect(await bench.store.currentRevision()).toBe('0');
      await Promise.all(Array.from({ length: 30 }, (_, index) => bench.store.create(widget(`w${index}`))));
      const notices = await bench.store.changesSince('0', 100);

      expect(notices.map((notice) => notice.revision)).toEqual(
        Array.from({ length: 30 }, (_, index) => `${index + 1}`),
      );
    });
  });

  describe('a restart', () => {
    it('keeps objects, revision, log and what was removed', async () => {
      const owner = await bench.store.create(widget('owner'));
      const one = await bench.store.create(widget('one', { finalizers: ['a'] }));
      await bench.remove('owner');
      const list = await bench.store.list(WIDGETS);
      bench.store = await bench.subject.reopen();

      expect(await bench.store.list(WIDGETS)).toEqual(list);
      expect(await bench.revision()).toBe(3);
      expect(summary(await bench.take(2, {}, '1'))).toEqual(['ADDED one', 'DELETED owner']);
      const late = await bench.changesOf(() => bench.store.create(widget('late', { ownerReferences: ownedBy(owner) })));
      expect(late).toEqual(['ADDED late', 'DELETED late']);
      expect((await bench.store.update({ ...one, spec: {} })).metadata.resourceVersion).toBe('6');
    });

    it('keeps what compaction kept', async () => {
      for (const name of ['a', 'b', 'c']) await bench.store.create(widget(name));
      await bench.store.compact(1);
      bench.store = await bench.subject.reopen();

      expect(await bench.names()).toEqual(['a', 'b', 'c']);
      expect(summary(await bench.take(1, {}, '2'))).toEqual(['ADDED c']);
    });
  });
}
