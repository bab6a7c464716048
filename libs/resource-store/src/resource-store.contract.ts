import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta, OwnerReference, WatchEvent } from '@crate/api';
import type { ChangeNotice, ObjectKey, ResourceStore, StoreQuery, StoreRemoveOptions } from './index.js';

/** A store to be held to the contract, with its own empty data. */
export interface StoreUnderTest {
  readonly store: ResourceStore;
  /** Closes the store and opens it again on the same data, as a restart of the process would. */
  reopen(): Promise<ResourceStore>;
  close(): Promise<void>;
}

export interface StoreSettings {
  readonly clock: () => Date;
}

const WIDGETS: StoreQuery = { group: 'test.crate.dev', kind: 'Widget' };
const NOON = new Date('2026-01-01T12:00:00.400Z');

function keyFor(name: string, namespace = 'team-a', kind = 'Widget'): ObjectKey {
  return { group: 'test.crate.dev', kind, namespace, name };
}

function widget(name: string, metadata: Partial<ObjectMeta> = {}, rest: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'test.crate.dev/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'team-a', ...metadata } as ObjectMeta,
    spec: { size: 1 },
    ...rest,
  };
}

function ownedBy(...owners: readonly KubeObject[]): OwnerReference[] {
  return owners.map(({ apiVersion, kind, metadata: { name, uid } }) => ({ apiVersion, kind, name, uid }));
}

function blocking(owner: KubeObject): OwnerReference[] {
  return ownedBy(owner).map((reference) => ({ ...reference, blockOwnerDeletion: true }));
}

/** What every ResourceStore does, whatever it is made of. Call it in a spec of each implementation. */
export function describeResourceStore(
  name: string,
  openStore: (settings: StoreSettings) => Promise<StoreUnderTest>,
): void {
  describe(`${name} as a ResourceStore`, () => {
    let subject: StoreUnderTest;
    let store: ResourceStore;
    let now: Date;
    let stop: AbortController;

    beforeEach(async () => {
      now = NOON;
      stop = new AbortController();
      subject = await openStore({ clock: () => now });
      store = subject.store;
    });
    afterEach(async () => {
      stop.abort();
      await subject.close();
    });

    const names = async (query: Partial<StoreQuery> = {}): Promise<string[]> =>
      (await store.list({ ...WIDGETS, ...query })).items.map((item) => item.metadata.name);
    const isThere = async (name: string): Promise<boolean> => (await store.find(keyFor(name))) !== undefined;
    const remove = (name: string, options?: StoreRemoveOptions): Promise<KubeObject> =>
      store.remove(keyFor(name), options);
    const revision = async (): Promise<number> => Number(await store.currentRevision());
    const changesOf = async (work: () => Promise<unknown>): Promise<string[]> => {
      const before = await store.currentRevision();
      await work();
      return (await store.changesSince(before, 1000)).map(({ type, key }) => `${type} ${key.name}`);
    };
    /** Reads that many events; the test's own time limit ends a wait in vain. */
    const take = async (
      count: number,
      query: Partial<StoreQuery> = {},
      fromRevision?: string,
    ): Promise<readonly WatchEvent[]> => {
      const events: WatchEvent[] = [];
      if (count === 0) return events;
      const options = { signal: stop.signal, ...(fromRevision === undefined ? {} : { fromRevision }) };
      for await (const event of store.watch({ ...WIDGETS, ...query }, options)) {
        if (events.push(event) === count) break;
      }
      return events;
    };
    const summary = (events: readonly WatchEvent[]): string[] =>
      events.map(({ type, object }) => `${type} ${object.metadata.name}`);

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

        const created = await store.create({ ...input, status: { ready: true } });

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
        expect(await store.find(keyFor('one'))).toEqual(created);
      });

      it('refuses a name that is taken, in its namespace and kind only', async () => {
        await store.create(widget('one'));
        await store.create(widget('one', { namespace: 'team-b' }));
        await store.create({ ...widget('one'), kind: 'Gadget' });

        await expect(store.create(widget('one'))).rejects.toMatchObject({ code: 'AlreadyExists' });
        expect(await revision()).toBe(3);
      });

      it('takes a served version for the same object', async () => {
        await store.create(widget('one'));
        const newer = { ...widget('one'), apiVersion: 'test.crate.dev/v2' };

        await expect(store.create(newer)).rejects.toMatchObject({ code: 'AlreadyExists' });
      });

      it('keeps cluster-scoped objects without a namespace', async () => {
        const created = await store.create({ ...widget('node'), metadata: { name: 'node' } as ObjectMeta });

        expect(created.metadata).not.toHaveProperty('namespace');
        expect(await store.find(keyFor('node', ''))).toEqual(created);
        expect(await store.find(keyFor('node'))).toBeUndefined();
      });

      it.each([
        { reason: 'it has no name', input: widget('') },
        { reason: 'text holds a NUL', input: widget('one', {}, { spec: { text: 'a\0b' } }) },
        { reason: 'text holds half a surrogate pair', input: widget('one', {}, { spec: { text: '\ud83d' } }) },
      ])('refuses an object as BadRequest when $reason', async ({ input }) => {
        await expect(store.create(input)).rejects.toMatchObject({ code: 'BadRequest' });
      });

      it('keeps every other text and value as it was', async () => {
        const spec = { text: 'a\\u0000 \\ 😀 \u2028 "', nothing: null, list: [1, 'two', { three: 3.5 }], map: {} };
        await store.create(widget('one', {}, { spec }));

        expect((await store.find(keyFor('one')))?.['spec']).toEqual(spec);
      });

      it('shares nothing with the caller', async () => {
        const input = widget('one');
        const created = await store.create(input);
        (input['spec'] as { size: number }).size = 2;
        (created['spec'] as { size: number }).size = 3;
        const found = await store.find(keyFor('one'));
        (found?.['spec'] as { size: number }).size = 4;

        expect((await store.find(keyFor('one')))?.['spec']).toEqual({ size: 1 });
      });
    });

    describe('update', () => {
      let one: KubeObject;
      beforeEach(async () => {
        one = await store.create(widget('one', { labels: { app: 'x' } }, { status: { ready: false } }));
      });

      it.each([
        { what: 'the spec', change: { spec: { size: 2 } }, generation: 2 },
        { what: 'a top-level field beside spec and status', change: { data: { a: 'b' } }, generation: 2 },
        { what: 'the status only', change: { status: { ready: true } }, generation: 1 },
      ])('makes generation $generation when it changes $what', async ({ change, generation }) => {
        const updated = await store.update({ ...one, ...change });

        expect(updated.metadata).toEqual({ ...one.metadata, resourceVersion: '2', generation });
        expect(await store.find(keyFor('one'))).toEqual({ ...updated, ...change });
      });

      it('does not count labels as desired state', async () => {
        const updated = await store.update({ ...one, metadata: { ...one.metadata, labels: { app: 'z' } } });

        expect(updated.metadata).toMatchObject({ generation: 1, resourceVersion: '2', labels: { app: 'z' } });
      });

      it('replaces: what the new object does not state is gone', async () => {
        const { labels: _labels, ...metadata } = one.metadata;
        const { status: _status, ...rest } = one;
        const updated = await store.update({ ...rest, metadata });

        expect(updated).not.toHaveProperty('status');
        expect(updated.metadata).not.toHaveProperty('labels');
      });

      it('never lets a client touch the system metadata', async () => {
        const forged = { generation: 7, creationTimestamp: 'x', deletionTimestamp: 'x', deletionGracePeriodSeconds: 5 };
        const updated = await store.update({ ...one, metadata: { ...one.metadata, ...forged } });

        expect(updated).toEqual(one);
      });

      it('writes nothing when nothing changes, whatever the order of keys', async () => {
        const { metadata, ...rest } = one;
        const same = { ...rest, status: { ready: false }, metadata: { ...metadata, annotations: {}, finalizers: [] } };

        expect(await store.update(same)).toEqual(one);
        expect(await revision()).toBe(1);
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
        const first = await store.update({ ...one, metadata: at('2026-01-01T00:00:00Z') });
        const { resourceVersion } = first.metadata;

        const second = await store.update({ ...one, metadata: { ...at('2026-02-02T00:00:00Z'), resourceVersion } });

        expect(second).toEqual(first);
        const changed = { ...entry, manager: 'other', time: '2026-02-02T00:00:00Z' };
        const third = await store.update({ ...one, metadata: { ...first.metadata, managedFields: [changed] } });
        expect(third.metadata.resourceVersion).toBe('3');
      });

      it.each([
        { reason: 'of another version', code: 'Conflict', metadata: { resourceVersion: '77' } },
        { reason: 'of another uid', code: 'Conflict', metadata: { uid: 'other' } },
        { reason: 'that is not there', code: 'NotFound', metadata: { name: 'two' } },
      ])('refuses an object $reason as $code', async ({ code, metadata }) => {
        const attempt = store.update({ ...one, spec: {}, metadata: { ...one.metadata, ...metadata } });

        await expect(attempt).rejects.toMatchObject({ code });
        expect(await store.find(keyFor('one'))).toEqual(one);
      });

      it('says in a Conflict which version is stored', async () => {
        await store.update({ ...one, spec: {} });

        await expect(store.update({ ...one, spec: { size: 5 } })).rejects.toMatchObject({
          code: 'Conflict',
          message: expect.stringContaining('resourceVersion 2'),
        });
      });

      it('replaces whatever is there when no version is stated', async () => {
        await store.update({ ...one, spec: { size: 2 } });
        const { uid: _uid, resourceVersion: _version, ...metadata } = one.metadata;
        const updated = await store.update({ ...one, spec: { size: 3 }, metadata: metadata as ObjectMeta });

        expect(updated).toMatchObject({ spec: { size: 3 }, metadata: { generation: 3, uid: one.metadata.uid } });
      });

      it('lets exactly one of many racing writers win each version', async () => {
        const attempts = Array.from({ length: 20 }, (_, size) => store.update({ ...one, spec: { size: size + 10 } }));
        const results = await Promise.allSettled(attempts);

        expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
        expect(results.find((result) => result.status === 'rejected')).toMatchObject({ reason: { code: 'Conflict' } });
        expect(await revision()).toBe(2);
      });
    });

    describe('remove', () => {
      it('removes at once what has no finalizers', async () => {
        const one = await store.create(widget('one'));
        const removed = await remove('one');

        expect(removed).toEqual({ ...one, metadata: { ...one.metadata, resourceVersion: '2' } });
        expect(await isThere('one')).toBe(false);
        await expect(remove('one')).rejects.toMatchObject({ code: 'NotFound' });
      });

      it('marks what has finalizers, once', async () => {
        const one = await store.create(widget('one', { finalizers: ['a'] }));
        now = new Date('2026-01-01T13:00:00Z');
        const marked = await remove('one');
        now = new Date('2026-01-01T14:00:00Z');
        const again = await remove('one');

        expect(marked.metadata).toEqual({
          ...one.metadata,
          resourceVersion: '2',
          generation: 2,
          deletionTimestamp: '2026-01-01T13:00:00Z',
          deletionGracePeriodSeconds: 0,
        });
        expect(again).toEqual(marked);
        expect(await store.find(keyFor('one'))).toEqual(marked);
      });

      it('removes a marked object with its last finalizer, and returns its last state', async () => {
        await store.create(widget('one', { finalizers: ['a', 'b'] }));
        const marked = await remove('one');
        const first = await store.update({ ...marked, metadata: { ...marked.metadata, finalizers: ['b'] } });
        expect(first.metadata.finalizers).toEqual(['b']);

        const changes = await changesOf(async () => {
          const last = await store.update({
            ...first,
            status: { done: true },
            metadata: { ...first.metadata, finalizers: [] },
          });
          expect(last).toMatchObject({ status: { done: true }, metadata: { resourceVersion: '4' } });
        });

        expect(changes).toEqual(['DELETED one']);
        expect(await isThere('one')).toBe(false);
      });

      it('accepts no new finalizers on a marked object', async () => {
        await store.create(widget('one', { finalizers: ['a'] }));
        const marked = await remove('one');
        const attempt = store.update({ ...marked, metadata: { ...marked.metadata, finalizers: ['a', 'b'] } });

        await expect(attempt).rejects.toMatchObject({
          code: 'InvalidSpec',
          details: { causes: [expect.objectContaining({ field: 'metadata.finalizers' })] },
        });
      });

      it.each([{ uid: 'other' }, { resourceVersion: '77' }])('refuses when %j is not so', async (precondition) => {
        await store.create(widget('one'));

        await expect(remove('one', precondition)).rejects.toMatchObject({ code: 'Conflict' });
        expect(await isThere('one')).toBe(true);
      });

      it('gives a new life a new uid', async () => {
        const one = await store.create(widget('one'));
        await remove('one', { uid: one.metadata.uid, resourceVersion: one.metadata.resourceVersion });
        const next = await store.create(widget('one'));

        expect(next.metadata.uid).not.toBe(one.metadata.uid);
        await expect(store.update({ ...one, spec: {} })).rejects.toMatchObject({ code: 'Conflict' });
      });
    });

    describe('the cascade', () => {
      it('deletes dependents after their owner in the background, all the way down', async () => {
        const owner = await store.create(widget('owner'));
        const child = await store.create(widget('child', { ownerReferences: ownedBy(owner) }));
        await store.create(widget('grandchild', { ownerReferences: ownedBy(child) }));
        await store.create(widget('stranger'));

        expect(await changesOf(() => remove('owner'))).toEqual([
          'DELETED owner',
          'DELETED child',
          'DELETED grandchild',
        ]);
        expect(await names()).toEqual(['stranger']);
      });

      it('happens as well when the last finalizer goes', async () => {
        const owner = await store.create(widget('owner', { finalizers: ['a'] }));
        await store.create(widget('child', { ownerReferences: ownedBy(owner) }));
        const marked = await remove('owner');
        expect(await names()).toEqual(['child', 'owner']);

        await store.update({ ...marked, metadata: { ...marked.metadata, finalizers: [] } });
        expect(await names()).toEqual([]);
      });

      it('marks dependents that have finalizers', async () => {
        const owner = await store.create(widget('owner'));
        await store.create(widget('child', { ownerReferences: ownedBy(owner), finalizers: ['a'] }));

        expect(await changesOf(() => remove('owner'))).toEqual(['DELETED owner', 'MODIFIED child']);
        expect((await store.find(keyFor('child')))?.metadata).toMatchObject({ generation: 2, finalizers: ['a'] });
      });

      it('keeps a dependent while one of its owners stays, without the dead reference', async () => {
        const [one, two] = [await store.create(widget('one')), await store.create(widget('two'))];
        await store.create(widget('child', { ownerReferences: ownedBy(one, two) }));

        await remove('one');
        expect((await store.find(keyFor('child')))?.metadata.ownerReferences).toEqual(ownedBy(two));
        await remove('two');
        expect(await isThere('child')).toBe(false);
      });

      it('leaves an owner in another store alone: it cannot be seen from here', async () => {
        const owner = await store.create(widget('owner'));
        const foreign = { apiVersion: 'other.crate.dev/v1', kind: 'Thing', name: 'x', uid: 'elsewhere' };
        await store.create(widget('child', { ownerReferences: [...ownedBy(owner), foreign] }));
        await store.create(widget('foreign', { ownerReferences: [foreign] }));

        await remove('owner');
        expect(await names()).toEqual(['child', 'foreign']);
      });

      it('does not follow references across namespaces, but follows those to cluster-scoped owners', async () => {
        const owner = await store.create(widget('owner'));
        const root = await store.create({ ...widget('root'), metadata: { name: 'root' } as ObjectMeta });
        await store.create(widget('other', { namespace: 'team-b', ownerReferences: blocking(owner) }));
        await store.create(widget('child', { namespace: 'team-b', ownerReferences: ownedBy(root) }));

        await remove('owner', { propagationPolicy: 'Foreground' });
        expect(await names()).toEqual(['root', 'child', 'other']);
        await store.remove(keyFor('root', ''));
        expect(await names()).toEqual(['other']);
      });

      it('creates and collects a dependent whose owner has gone meanwhile', async () => {
        const owner = await store.create(widget('owner'));
        await remove('owner');

        const late = (): Promise<KubeObject> => store.create(widget('late', { ownerReferences: ownedBy(owner) }));
        expect(await changesOf(late)).toEqual(['ADDED late', 'DELETED late']);
      });

      it('collects an object whose references an update points to a dead owner', async () => {
        const owner = await store.create(widget('owner'));
        const child = await store.create(widget('child'));
        await remove('owner');
        await store.update({ ...child, metadata: { ...child.metadata, ownerReferences: ownedBy(owner) } });

        expect(await isThere('child')).toBe(false);
      });

      it('takes references away under Orphan', async () => {
        const [owner, other] = [await store.create(widget('owner')), await store.create(widget('other'))];
        await store.create(widget('child', { ownerReferences: ownedBy(owner, other) }));
        await store.create(widget('single', { ownerReferences: ownedBy(owner) }));

        const changes = await changesOf(() => remove('owner', { propagationPolicy: 'Orphan' }));

        expect(changes).toEqual(['MODIFIED child', 'MODIFIED single', 'DELETED owner']);
        expect((await store.find(keyFor('child')))?.metadata.ownerReferences).toEqual(ownedBy(other));
        expect((await store.find(keyFor('single')))?.metadata).not.toHaveProperty('ownerReferences');
      });

      it('orphans before the finalizers of the owner are done, too, and once only', async () => {
        const owner = await store.create(widget('owner', { finalizers: ['a'] }));
        await store.create(widget('child', { ownerReferences: ownedBy(owner) }));
        const marked = await remove('owner', { propagationPolicy: 'Orphan' });

        expect(marked.metadata.finalizers).toEqual(['a']);
        expect(await changesOf(() => remove('owner', { propagationPolicy: 'Orphan' }))).toEqual([]);
        await store.update({ ...marked, metadata: { ...marked.metadata, finalizers: [] } });
        expect(await names()).toEqual(['child']);
      });

      it('deletes dependents before their owner under Foreground', async () => {
        const owner = await store.create(widget('owner'));
        const child = await store.create(widget('child', { ownerReferences: blocking(owner) }));
        await store.create(widget('grandchild', { ownerReferences: blocking(child) }));

        const changes = await changesOf(() => remove('owner', { propagationPolicy: 'Foreground' }));

        expect(changes).toEqual(['DELETED grandchild', 'DELETED child', 'DELETED owner']);
      });

      it('keeps the owner under Foreground until the last blocking dependent has gone', async () => {
        const owner = await store.create(widget('owner'));
        await store.create(widget('slow', { ownerReferences: blocking(owner), finalizers: ['a'] }));
        await store.create(widget('quick', { ownerReferences: blocking(owner) }));
        await store.create(widget('free', { ownerReferences: ownedBy(owner), finalizers: ['a'] }));

        const waiting = await remove('owner', { propagationPolicy: 'Foreground' });
        expect(waiting.metadata).toMatchObject({ finalizers: ['foregroundDeletion'], generation: 2 });
        expect(await names()).toEqual(['free', 'owner', 'slow']);

        const slow = (await store.find(keyFor('slow'))) as KubeObject;
        expect(slow.metadata.deletionTimestamp).toBe('2026-01-01T12:00:00Z');
        await store.update({ ...slow, metadata: { ...slow.metadata, finalizers: [] } });
        expect(await names()).toEqual(['free']);
      });

      it('ends foreground deletion when the blocking dependent lets go of its owner', async () => {
        const [owner, other] = [await store.create(widget('owner')), await store.create(widget('other'))];
        await store.create(widget('child', { ownerReferences: [...blocking(owner), ...ownedBy(other)] }));
        await remove('owner', { propagationPolicy: 'Foreground' });

        expect(await names()).toEqual(['child', 'other']);
        expect((await store.find(keyFor('child')))?.metadata.ownerReferences).toEqual(ownedBy(other));
      });

      it('passes from Foreground to Background when asked to', async () => {
        const owner = await store.create(widget('owner'));
        await store.create(widget('slow', { ownerReferences: blocking(owner), finalizers: ['a'] }));
        await remove('owner', { propagationPolicy: 'Foreground' });

        await remove('owner');
        expect(await isThere('owner')).toBe(true);
        await remove('owner', { propagationPolicy: 'Background' });
        expect(await isThere('owner')).toBe(false);
      });

      it.each(['Background', 'Foreground'] as const)(
        'ends in a circle of owners under %s',
        async (propagationPolicy) => {
          const one = await store.create(widget('one'));
          const two = await store.create(widget('two', { ownerReferences: blocking(one) }));
          await store.update({ ...one, metadata: { ...one.metadata, ownerReferences: blocking(two) } });

          await remove('one', { propagationPolicy });
          expect(await names()).toEqual([]);
        },
      );
    });

    describe('list', () => {
      it('is ordered by namespace and name, of one kind, with the revision it shows', async () => {
        for (const [name, namespace] of [
          ['b', 'team-b'],
          ['c', 'team-a'],
          ['a', 'team-b'],
          ['B', 'team-a'],
        ] as const) {
          await store.create(widget(name, { namespace }));
        }
        await store.create({ ...widget('z'), kind: 'Gadget' });

        expect(await names()).toEqual(['B', 'c', 'a', 'b']);
        expect(await names({ namespace: 'team-b' })).toEqual(['a', 'b']);
        const { kind, metadata } = await store.list(WIDGETS);
        expect({ kind, metadata }).toEqual({ kind: 'WidgetList', metadata: { resourceVersion: '5' } });
      });

      it('is empty at the current revision when nothing matches', async () => {
        await store.create(widget('one'));

        const list = await store.list({ ...WIDGETS, kind: 'Nothing' });
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
        await store.create(widget('a', { labels: { app: 'web', tier: 'gold' } }));
        await store.create(widget('b', { labels: { app: 'web' } }));
        await store.create(widget('c', { labels: { app: 'db' } }));
        await store.create(widget('d', { labels: { 'example.com/zone': '' } }));

        expect(await names({ labelSelector })).toEqual(want);
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
        await store.create(widget('a', {}, { spec: { size: 1, engine: 'rke', nested: { a: 1 } } }));
        await store.create(widget('b', {}, { spec: { size: 1, paused: true, engine: null } }));
        await store.create(widget('c', {}, { spec: { size: 2, text: 'a,b=c\\d', list: [{ name: 'first' }] } }));

        expect(await names({ fieldSelector })).toEqual(want);
      });

      it.each([{ labelSelector: 'app=(' }, { fieldSelector: 'metadata.name' }])('refuses %j', async (selector) => {
        const message = expect.stringContaining('want');
        await expect(store.list({ ...WIDGETS, ...selector })).rejects.toMatchObject({ code: 'BadRequest', message });
      });
    });

    describe('pages of a list', () => {
      const page = async (
        limit: number,
        token?: string,
        query: Partial<StoreQuery> = {},
      ): ReturnType<typeof store.list> =>
        store.list({ ...WIDGETS, ...query }, { limit, ...(token === undefined ? {} : { continue: token }) });

      it('together are one snapshot, whatever changes in between', async () => {
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await store.create(widget(name));
        const first = await page(2);
        const snapshot = (await store.list(WIDGETS)).items;

        await remove('d');
        await store.create(widget('d', {}, { spec: { size: 99 } }));
        await store.create(widget('cc'));
        await remove('e');
        const [c] = (await store.list({ ...WIDGETS, fieldSelector: 'metadata.name=c' })).items;
        const twice = await store.update({ ...(c as KubeObject), spec: { size: 2 } });
        await store.update({ ...twice, spec: { size: 3 } });
        const second = await page(2, first.metadata.continue);
        await remove('f');
        const third = await page(2, second.metadata.continue);

        expect([...first.items, ...second.items, ...third.items]).toEqual(snapshot);
        expect(third.metadata).toEqual({ resourceVersion: '6' });
        expect(second.metadata.resourceVersion).toBe('6');
      });

      it('select by what objects were at the snapshot', async () => {
        for (const name of ['a', 'b', 'c']) await store.create(widget(name, { labels: { app: 'x' } }));
        const query = { labelSelector: 'app=x', fieldSelector: 'spec.size=1' };
        const first = await page(1, undefined, query);
        const [b] = (await store.list({ ...WIDGETS, fieldSelector: 'metadata.name=b' })).items as [KubeObject];
        await store.update({ ...b, spec: { size: 2 }, metadata: { ...b.metadata, labels: {} } });
        await store.create(widget('bb', { labels: { app: 'x' } }));

        const second = await page(5, first.metadata.continue, query);
        expect(second.items.map((item) => item.metadata.name)).toEqual(['b', 'c']);
      });

      it('are Gone once the log no longer reaches back to the snapshot', async () => {
        for (const name of ['a', 'b', 'c']) await store.create(widget(name));
        const first = await page(1);
        await remove('c');
        await store.compact(0);

        await expect(page(1, first.metadata.continue)).rejects.toMatchObject({ code: 'Gone' });
      });

      it('survive compaction as long as the log reaches back', async () => {
        for (const name of ['a', 'b', 'c']) await store.create(widget(name));
        const first = await page(1);
        await remove('c');
        await store.compact(1);

        const second = await page(5, first.metadata.continue);
        expect(second.items.map((item) => item.metadata.name)).toEqual(['b', 'c']);
      });

      it.each(['nonsense', '', Buffer.from('[1]').toString('base64url')])('refuse the token %j', async (token) => {
        await expect(page(1, token)).rejects.toMatchObject({ code: 'BadRequest' });
      });

      it('end without a token when the limit is just met', async () => {
        await store.create(widget('a'));

        expect((await page(1)).metadata).toEqual({ resourceVersion: '1' });
      });
    });

    describe('watch', () => {
      it('delivers every change after a revision, with the object as it was then', async () => {
        const one = await store.create(widget('one'));
        const updated = await store.update({ ...one, spec: { size: 2 } });
        const removed = await remove('one');

        const events = await take(3, {}, '0');
        expect(events).toEqual([
          { type: 'ADDED', object: one },
          { type: 'MODIFIED', object: updated },
          { type: 'DELETED', object: removed },
        ]);
        expect(await take(1, {}, one.metadata.resourceVersion)).toEqual(events.slice(1, 2));
      });

      it('delivers changes made while it runs, of its kind and namespace only', async () => {
        const events = take(2, { namespace: 'team-a' }, await store.currentRevision());
        await store.create(widget('x', { namespace: 'team-b' }));
        await store.create({ ...widget('y'), kind: 'Gadget' });
        await store.create(widget('one'));
        await store.create(widget('two'));

        expect(summary(await events)).toEqual(['ADDED one', 'ADDED two']);
      });

      it('begins now when no revision is given', async () => {
        await store.create(widget('before'));
        const iterator = store.watch(WIDGETS, { signal: stop.signal })[Symbol.asyncIterator]();
        const first = iterator.next();
        // The place is taken by a query of its own; a bookmark tells that it was.
        await expect(firstBookmark(stop.signal)).resolves.toBe('1');
        await store.create(widget('after'));

        expect(await first).toMatchObject({ value: { object: { metadata: { name: 'after' } } } });
      });

      const firstBookmark = async (signal: AbortSignal): Promise<string> => {
        for await (const event of store.watch(WIDGETS, { signal, bookmarkEveryMs: 1 })) {
          return event.object.metadata.resourceVersion;
        }
        throw new Error('The watch ended');
      };

      it('shows transitions of a selector as ADDED and DELETED', async () => {
        const size = async (value: number): Promise<void> => {
          const [found] = (await store.list({ ...WIDGETS, fieldSelector: 'metadata.name=one' })).items as [KubeObject];
          await store.update({
            ...found,
            spec: { size: value },
            metadata: { ...found.metadata, labels: { size: `${value}` } },
          });
        };
        await store.create(widget('one', { labels: { size: '1' } }));
        for (const value of [2, 3, 2]) await size(value);
        await remove('one');
        await store.create(widget('two', { labels: { size: '2' } }));

        const want = ['ADDED one', 'DELETED one', 'ADDED one', 'DELETED one', 'ADDED two'];
        expect(summary(await take(5, { labelSelector: 'size=2' }, '0'))).toEqual(want);
        expect(summary(await take(4, { fieldSelector: 'spec.size=2' }, '0'))).toEqual(want.slice(0, 4));
        expect(summary(await take(2, { labelSelector: 'size!=2' }, '0'))).toEqual(['ADDED one', 'DELETED one']);
        expect(summary(await take(5, { fieldSelector: 'metadata.name=one' }, '0'))).toEqual([
          'ADDED one',
          ...Array<string>(3).fill('MODIFIED one'),
          'DELETED one',
        ]);
      });

      it('sends bookmarks at the revision it has come to, when asked', async () => {
        await store.create({ ...widget('y'), kind: 'Gadget' });
        const options = { fromRevision: '0', signal: stop.signal, bookmarkEveryMs: 5 };
        const seen: WatchEvent[] = [];
        for await (const event of store.watch(WIDGETS, options)) {
          if (seen.push(event) === 2) break;
        }

        const bookmark = {
          type: 'BOOKMARK',
          object: expect.objectContaining({ kind: 'Widget', metadata: { resourceVersion: '1' } }),
        };
        expect(seen).toEqual([bookmark, bookmark]);
      });

      it('gives objects that cannot be changed, because all watchers share them', async () => {
        await store.create(widget('one'));
        const [event] = (await take(1, {}, '0')) as [WatchEvent];

        expect(() => ((event.object['spec'] as { size: number }).size = 5)).toThrow(TypeError);
      });

      it('ends when the signal aborts, waiting or not', async () => {
        const waiting = take(1);
        stop.abort();

        expect(await waiting).toEqual([]);
        expect(await take(1, {}, '0')).toEqual([]);
      });

      it('ends when the store closes', async () => {
        const watching = take(1, {}, await store.currentRevision());
        await subject.close();

        expect(await watching).toEqual([]);
      });

      it.each([
        { reason: 'is older than the log', from: '1', code: 'Gone' },
        { reason: 'lies in the future, as after a restored backup', from: '99', code: 'Gone' },
        { reason: 'is no number', from: 'x', code: 'BadRequest' },
      ])('refuses a revision that $reason', async ({ from, code }) => {
        for (const name of ['a', 'b', 'c']) await store.create(widget(name));
        await store.compact(1);

        await expect((async () => take(1, {}, from))()).rejects.toMatchObject({ code });
        expect(summary(await take(1, {}, '2'))).toEqual(['ADDED c']);
      });

      it('resumes behind a compaction with selectors intact', async () => {
        const one = await store.create(widget('one', { labels: { app: 'x' } }));
        await store.create(widget('two'));
        const from = await store.currentRevision();
        await store.compact(0);
        await store.update({ ...one, metadata: { ...one.metadata, labels: {} } });
        await store.compact(1);

        expect(summary(await take(1, { labelSelector: 'app=x' }, from))).toEqual(['DELETED one']);
      });

      it('gives slow and quick readers the same', async () => {
        const readers = [1, 2, 3].map(() => store.watch(WIDGETS, { fromRevision: '0', signal: stop.signal }));
        const slow = readers[0]?.[Symbol.asyncIterator]();
        const seen: string[] = [];
        const first = slow?.next();
        for (let index = 0; index < 1_500; index += 50) {
          await Promise.all(Array.from({ length: 50 }, (_, offset) => store.create(widget(`w${index + offset}`))));
        }
        seen.push(((await first)?.value as WatchEvent).object.metadata.resourceVersion);
        while (seen.length < 1_500)
          seen.push(((await slow?.next())?.value as WatchEvent).object.metadata.resourceVersion);

        expect(seen).toEqual(Array.from({ length: 1_500 }, (_, index) => String(index + 1)));
        expect((await take(1_500, {}, '0')).map((event) => event.object.metadata.resourceVersion)).toEqual(seen);
      });
    });

    describe('changes', () => {
      it('are told to listeners before the write resolves', async () => {
        const told: (readonly [readonly ChangeNotice[], string])[] = [];
        const unsubscribe = store.onChange((notices, origin) => told.push([notices, origin]));
        const one = await store.create(widget('one'));

        const notice = { key: keyFor('one'), uid: one.metadata.uid, revision: '1', type: 'ADDED' };
        expect(told).toEqual([[[notice], 'local']]);
        await store.update(one);
        await expect(store.create(widget('one'))).rejects.toBeDefined();
        unsubscribe();
        await remove('one');
        expect(told).toHaveLength(1);
      });

      it('are read from a revision on, in order and in portions', async () => {
        for (const name of ['a', 'b', 'c']) await store.create(widget(name));

        const revisions = async (from: string, limit: number): Promise<string[]> =>
          (await store.changesSince(from, limit)).map((notice) => notice.revision);
        expect(await revisions('0', 2)).toEqual(['1', '2']);
        expect(await revisions('2', 2)).toEqual(['3']);
        expect(await revisions('3', 2)).toEqual([]);
        await store.compact(1);
        await expect(revisions('1', 2)).rejects.toMatchObject({ code: 'Gone' });
        expect(await revisions('2', 2)).toEqual(['3']);
      });

      it('number every write densely from 1', async () => {
        expect(await store.currentRevision()).toBe('0');
        await Promise.all(Array.from({ length: 30 }, (_, index) => store.create(widget(`w${index}`))));
        const notices = await store.changesSince('0', 100);

        expect(notices.map((notice) => notice.revision)).toEqual(
          Array.from({ length: 30 }, (_, index) => `${index + 1}`),
        );
      });
    });

    describe('a restart', () => {
      it('keeps objects, revision, log and what was removed', async () => {
        const owner = await store.create(widget('owner'));
        const one = await store.create(widget('one', { finalizers: ['a'] }));
        await remove('owner');
        const list = await store.list(WIDGETS);
        store = await subject.reopen();

        expect(await store.list(WIDGETS)).toEqual(list);
        expect(await revision()).toBe(3);
        expect(summary(await take(2, {}, '1'))).toEqual(['ADDED one', 'DELETED owner']);
        const late = await changesOf(() => store.create(widget('late', { ownerReferences: ownedBy(owner) })));
        expect(late).toEqual(['ADDED late', 'DELETED late']);
        expect((await store.update({ ...one, spec: {} })).metadata.resourceVersion).toBe('6');
      });

      it('keeps what compaction kept', async () => {
        for (const name of ['a', 'b', 'c']) await store.create(widget(name));
        await store.compact(1);
        store = await subject.reopen();

        expect(await names()).toEqual(['a', 'b', 'c']);
        expect(summary(await take(1, {}, '2'))).toEqual(['ADDED c']);
      });
    });
  });
}
