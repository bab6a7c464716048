import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@crate/api';
import { keyFor, widget, type StoreBench } from './store-bench.js';

/** Single objects: what a write does to the object and its metadata. */
export function describeWrites(bench: StoreBench): void {
  describe('create', () => {
    it('owns the system metadata and keeps the rest', async () => {
      const finalizers = ['test.crate.dev/widgets'];
      const managedFields = [{ manager: 'kubectl', operation: 'Apply', apiVersion: 'test.crate.dev/v1' }];
      const input = widget('one', {
        uid: 'mine',
        resourceVersion: '77',
        generation: 9,
        creationTimestamp: 'never',
        deletionTimestamp: 'never',
        labels: { app: 'x' },
        annotations: { note: 'y' },
        finalizers,
        managedFields: managedFields as never,
        ownerReferences: [],
        ...{ selfLink: 'unknown to Kubernetes today' },
      });

      const created = await bench.store.create({ ...input, status: { ready: true } });

      expect(created).toEqual({
        apiVersion: 'test.crate.dev/v1',
        kind: 'Widget',
        metadata: {
          name: 'one',
          namespace: 'team-a',
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: '1',
          generation: 1,
          creationTimestamp: '2026-01-01T12:00:00Z',
          labels: { app: 'x' },
          annotations: { note: 'y' },
          finalizers,
          managedFields,
        },
        spec: { size: 1 },
        status: { ready: true },
      });
      expect(await bench.store.find(keyFor('one'))).toEqual(created);
    });

    it('refuses a name that is taken, in its namespace and kind only', async () => {
      await bench.store.create(widget('one'));
      await bench.store.create(widget('one', { namespace: 'team-b' }));
      await bench.store.create({ ...widget('one'), kind: 'Gadget' });

      await expect(bench.store.create(widget('one'))).rejects.toMatchObject({ code: 'AlreadyExists' });
      expect(await bench.revision()).toBe(3);
    });

    it('takes a served version for the same object', async () => {
      await bench.store.create(widget('one'));
      const newer = { ...widget('one'), apiVersion: 'test.crate.dev/v2' };

      await expect(bench.store.create(newer)).rejects.toMatchObject({ code: 'AlreadyExists' });
    });

    it('keeps cluster-scoped objects without a namespace', async () => {
      const created = await bench.store.create({ ...widget('node'), metadata: { name: 'node' } as ObjectMeta });

      expect(created.metadata).not.toHaveProperty('namespace');
      expect(await bench.store.find(keyFor('node', ''))).toEqual(created);
      expect(await bench.store.find(keyFor('node'))).toBeUndefined();
    });

    it.each([
      { reason: 'it has no name', input: widget('') },
      { reason: 'text holds a NUL', input: widget('one', {}, { spec: { text: 'a\0b' } }) },
      { reason: 'text holds half a surrogate pair', input: widget('one', {}, { spec: { text: '\ud83d' } }) },
    ])('refuses an object as BadRequest when $reason', async ({ input }) => {
      await expect(bench.store.create(input)).rejects.toMatchObject({ code: 'BadRequest' });
    });

    it('keeps every other text and value as it was', async () => {
      const spec = { text: 'a\\u0000 \\ 😀 \u2028 "', nothing: null, list: [1, 'two', { three: 3.5 }], map: {} };
      await bench.store.create(widget('one', {}, { spec }));

      expect((await bench.store.find(keyFor('one')))?.['spec']).toEqual(spec);
    });

    it('shares nothing with the caller', async () => {
      const input = widget('one');
      const created = await bench.store.create(input);
      (input['spec'] as { size: number }).size = 2;
      (created['spec'] as { size: number }).size = 3;
      const found = await bench.store.find(keyFor('one'));
      (found?.['spec'] as { size: number }).size = 4;

      expect((await bench.store.find(keyFor('one')))?.['spec']).toEqual({ size: 1 });
    });
  });

  describe('update', () => {
    let one: KubeObject;
    beforeEach(async () => {
      one = await bench.store.create(widget('one', { labels: { app: 'x' } }, { status: { ready: false } }));
    });

    it.each([
      { what: 'the spec', change: { spec: { size: 2 } }, generation: 2 },
      { what: 'a top-level field beside spec and status', change: { data: { a: 'b' } }, generation: 2 },
      { what: 'the status only', change: { status: { ready: true } }, generation: 1 },
    ])('makes generation $generation when it changes $what', async ({ change, generation }) => {
      const updated = await bench.store.update({ ...one, ...change });

      expect(updated.metadata).toEqual({ ...one.metadata, resourceVersion: '2', generation });
      expect(await bench.store.find(keyFor('one'))).toEqual({ ...updated, ...change });
    });

    it('takes the word of a writer who saw the newest state', async () => {
      const updated = await bench.store.update({ ...one, spec: { size: 2 } }, { seen: one });

      expect(updated.metadata).toEqual({ ...one.metadata, resourceVersion: '2', generation: 2 });
      expect(await bench.store.find(keyFor('one'))).toEqual(updated);
    });

    it('finds out that a writer saw an older state', async () => {
      const newer = await bench.store.update({ ...one, status: { ready: true } });
      const older = { ...one, spec: { size: 2 } };
      await expect(bench.store.update(older, { seen: one })).rejects.toMatchObject({ code: 'Conflict' });

      const { resourceVersion: _any, ...metadata } = older.metadata;
      const updated = await bench.store.update(
        { ...older, metadata: metadata as KubeObject['metadata'] },
        { seen: one },
      );
      expect(updated.metadata).toMatchObject({ uid: newer.metadata.uid, resourceVersion: '3', generation: 2 });
    });

    it('finds out that what a writer saw was removed and made anew', async () => {
      await bench.store.remove(keyFor('one'));
      const again = await bench.store.create(widget('one'));
      const { resourceVersion: _any, uid: _other, ...metadata } = one.metadata;
      const update: KubeObject = { ...one, metadata: metadata as KubeObject['metadata'], spec: { size: 2 } };

      await expect(bench.store.update({ ...one, spec: { size: 2 } }, { seen: one })).rejects.toMatchObject({
        code: 'Conflict',
      });
      const updated = await bench.store.update(update, { seen: one });
      expect(updated.metadata).toMatchObject({ uid: again.metadata.uid, generation: 2 });
    });

    it('gives what the caller may change', async () => {
      const updated = await bench.store.update({ ...one, spec: { size: 2 } });
      updated.metadata.labels = { app: 'changed' };
      (updated['spec'] as { size: number }).size = 3;

      expect(await bench.store.find(keyFor('one'))).toMatchObject({
        metadata: { labels: { app: 'x' } },
        spec: { size: 2 },
      });
    });

    it('does not count labels as desired state', async () => {
      const updated = await bench.store.update({ ...one, metadata: { ...one.metadata, labels: { app: 'z' } } });

      expect(updated.metadata).toMatchObject({ generation: 1, resourceVersion: '2', labels: { app: 'z' } });
    });

    it('replaces: what the new object does not state is gone', async () => {
      const { labels: _labels, ...metadata } = one.metadata;
      const { status: _status, ...rest } = one;
      const updated = await bench.store.update({ ...rest, metadata });

      expect(updated).not.toHaveProperty('status');
      expect(updated.metadata).not.toHaveProperty('labels');
    });

    it('never lets a client touch the system metadata', async () => {
      const forged = { generation: 7, creationTimestamp: 'x', deletionTimestamp: 'x', deletionGracePeriodSeconds: 5 };
      const updated = await bench.store.update({ ...one, metadata: { ...one.metadata, ...forged } });

      expect(updated).toEqual(one);
    });

    it('writes nothing when nothing changes, whatever the order of keys', async () => {
      const { metadata, ...rest } = one;
      const same = { ...rest, status: { ready: false }, metadata: { ...metadata, annotations: {}, finalizers: [] } };

      expect(await bench.store.update(same)).toEqual(one);
      expect(await bench.revision()).toBe(1);
    });

    it('writes nothing when only the times of managedFields change', async () => {
      const entry = {
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: {},
      } as const;
      const at = (time: string): ObjectMeta => ({ ...one.metadata, managedFields: [{ ...entry, time }] });
      const first = await bench.store.update({ ...one, metadata: at('2026-01-01T00:00:00Z') });
      const { resourceVersion } = first.metadata;

      const second = await bench.store.update({ ...one, metadata: { ...at('2026-02-02T00:00:00Z'), resourceVersion } });

      expect(second).toEqual(first);
      const changed = { ...entry, manager: 'other', time: '2026-02-02T00:00:00Z' };
      const third = await bench.store.update({ ...one, metadata: { ...first.metadata, managedFields: [changed] } });
      expect(third.metadata.resourceVersion).toBe('3');
    });

    it.each([
      { reason: 'of another version', code: 'Conflict', metadata: { resourceVersion: '77' } },
      { reason: 'of another uid', code: 'Conflict', metadata: { uid: 'other' } },
      { reason: 'that is not there', code: 'NotFound', metadata: { name: 'two' } },
    ])('refuses an object $reason as $code', async ({ code, metadata }) => {
      const attempt = bench.store.update({ ...one, spec: {}, metadata: { ...one.metadata, ...metadata } });

      await expect(attempt).rejects.toMatchObject({ code });
      expect(await bench.store.find(keyFor('one'))).toEqual(one);
    });

    it('says in a Conflict which version is stored', async () => {
      await bench.store.update({ ...one, spec: {} });

      await expect(bench.store.update({ ...one, spec: { size: 5 } })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining('resourceVersion 2'),
      });
    });

    it('replaces whatever is there when no version is stated', async () => {
      await bench.store.update({ ...one, spec: { size: 2 } });
      const { uid: _uid, resourceVersion: _version, ...metadata } = one.metadata;
      const updated = await bench.store.update({ ...one, spec: { size: 3 }, metadata: metadata as ObjectMeta });

      expect(updated).toMatchObject({ spec: { size: 3 }, metadata: { generation: 3, uid: one.metadata.uid } });
    });

    it('lets exactly one of many racing writers win each version', async () => {
      const attempts = Array.from({ length: 20 }, (_, size) =>
        bench.store.update({ ...one, spec: { size: size + 10 } }),
      );
      const results = await Promise.allSettled(attempts);

      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      expect(results.find((result) => result.status === 'rejected')).toMatchObject({ reason: { code: 'Conflict' } });
      expect(await bench.revision()).toBe(2);
    });
  });

  describe('remove', () => {
    it('removes at once what has no finalizers', async () => {
      const one = await bench.store.create(widget('one'));
      const removed = await bench.remove('one');

      expect(removed).toEqual({ ...one, metadata: { ...one.metadata, resourceVersion: '2' } });
      expect(await bench.isThere('one')).toBe(false);
      await expect(bench.remove('one')).rejects.toMatchObject({ code: 'NotFound' });
    });

    it('marks what has finalizers, once', async () => {
      const one = await bench.store.create(widget('one', { finalizers: ['a'] }));
      bench.now = new Date('2026-01-01T13:00:00Z');
      const marked = await bench.remove('one');
      bench.now = new Date('2026-01-01T14:00:00Z');
      const again = await bench.remove('one');

      expect(marked.metadata).toEqual({
        ...one.metadata,
        resourceVersion: '2',
        generation: 2,
        deletionTimestamp: '2026-01-01T13:00:00Z',
        deletionGracePeriodSeconds: 0,
      });
      expect(again).toEqual(marked);
      expect(await bench.store.find(keyFor('one'))).toEqual(marked);
    });

    it('removes a marked object with its last finalizer, and returns its last state', async () => {
      await bench.store.create(widget('one', { finalizers: ['a', 'b'] }));
      const marked = await bench.remove('one');
      const first = await bench.store.update({ ...marked, metadata: { ...marked.metadata, finalizers: ['b'] } });
      expect(first.metadata.finalizers).toEqual(['b']);

      const changes = await bench.changesOf(async () => {
        const last = await bench.store.update({
          ...first,
          status: { done: true },
          metadata: { ...first.metadata, finalizers: [] },
        });
        expect(last).toMatchObject({ status: { done: true }, metadata: { resourceVersion: '4' } });
      });

      expect(changes).toEqual(['DELETED one']);
      expect(await bench.isThere('one')).toBe(false);
    });

    it('accepts no new finalizers on a marked object', async () => {
      await bench.store.create(widget('one', { finalizers: ['a'] }));
      const marked = await bench.remove('one');
      const attempt = bench.store.update({ ...marked, metadata: { ...marked.metadata, finalizers: ['a', 'b'] } });

      await expect(attempt).rejects.toMatchObject({
        code: 'InvalidSpec',
        details: { causes: [expect.objectContaining({ field: 'metadata.finalizers' })] },
      });
    });

    it.each([{ uid: 'other' }, { resourceVersion: '77' }])('refuses when %j is not so', async (precondition) => {
      await bench.store.create(widget('one'));

      await expect(bench.remove('one', precondition)).rejects.toMatchObject({ code: 'Conflict' });
      expect(await bench.isThere('one')).toBe(true);
    });

    it('gives a new life a new uid', async () => {
      const one = await bench.store.create(widget('one'));
      await bench.remove('one', { uid: one.metadata.uid, resourceVersion: one.metadata.resourceVersion });
      const next = await bench.store.create(widget('one'));

      expect(next.metadata.uid).not.toBe(one.metadata.uid);
      await expect(bench.store.update({ ...one, spec: {} })).rejects.toMatchObject({ code: 'Conflict' });
    });
  });
}
