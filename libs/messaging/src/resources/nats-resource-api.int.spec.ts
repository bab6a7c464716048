import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WatchEvent } from '@crate/api';
import type { CallContext, WatchOptions } from '@crate/resource-client';
import { newTraceId } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { FakeResourceApi, WIDGETS } from '../testing/fake-resource-api.js';
import { TestPlatform, type Replica } from '../testing/platform.js';
import { NatsResourceApi } from './nats-resource-api.js';
import { resourceMethods } from './resource-methods.js';

const MAX_PAYLOAD = 64 * 1024;
const POLL_MS = 300;
/** As long as an owner holds one at most. */
const LONG_POLL_MS = 60_000;
const STATUS = { subresource: 'status' } as const;

describe('NatsResourceApi', () => {
  const context: CallContext = { caller: { user: 'ada', groups: [] }, traceId: newTraceId() };
  let platform: TestPlatform;
  let remote: NatsResourceApi;
  let owner: FakeResourceApi;
  let replicas: Replica[];
  const following: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    platform = await TestPlatform.start(MAX_PAYLOAD);
    remote = await open(POLL_MS);
  });

  afterAll(async () => platform.stop());

  beforeEach(async () => {
    owner = new FakeResourceApi();
    replicas = [await startReplica()];
  });

  afterEach(async () => {
    for (const stop of following.splice(0)) await stop();
    for (const replica of replicas) await replica.stop();
  });

  async function open(pollMs: number): Promise<NatsResourceApi> {
    return new NatsResourceApi(await platform.caller('lifecycle'), 'policy-mgmt', {
      pollMs,
      secrecyOf: () => ({ hasSecretFields: false, secretSubresources: new Set() }),
    });
  }

  async function startReplica(): Promise<Replica> {
    return platform.serve('policy-mgmt', ({ closing }) =>
      resourceMethods({ api: owner, closing, maxPayloadBytes: MAX_PAYLOAD, secrecyOf: () => undefined }),
    );
  }

  /** Follows a watch until `stop` or the end of the test; what came in so far is in `events`. */
  function follow(
    options: WatchOptions,
    api = remote,
  ): {
    events: WatchEvent[];
    names: () => string[];
    stop: () => Promise<unknown>;
  } {
    const abort = new AbortController();
    const events: WatchEvent[] = [];
    const done = (async () => {
      for await (const event of api.watch(WIDGETS, options, { ...context, signal: abort.signal })) events.push(event);
      return 'ended';
    })().catch((error: unknown) => error);
    const names = (): string[] => events.map((event) => `${event.type} ${event.object.metadata.name}`);
    const stop = async (): Promise<unknown> => (abort.abort(), done);
    following.push(stop);
    return { events, names, stop };
  }

  describe('verbs', () => {
    it('carries every verb to the owner', async () => {
      owner.put('a');
      const ref = { ...WIDGETS, name: 'a' };
      const { draft } = owner;

      expect((await remote.get(ref, context)).metadata.name).toBe('a');
      expect((await remote.create(WIDGETS, draft, {}, context)).warnings).toEqual(['A warning']);
      expect((await remote.update(ref, draft, {}, context)).created).toBe(true);
      expect((await remote.patch(ref, {}, { type: 'apply', fieldManager: 'me' }, context)).created).toBe(true);
      expect((await remote.remove(ref, { propagationPolicy: 'Foreground' }, context)).object.metadata.name).toBe('a');
      expect((await remote.removeCollection(WIDGETS, {}, {}, context)).items).toHaveLength(1);
      expect(await remote.readSubresource(ref, 'scale', context)).toEqual({ subresource: 'scale' });
    });

    it('lets the owner create by an apply only what may be created, and say what it misses', async () => {
      const options = { type: 'apply' as const, fieldManager: 'me', mayCreate: false };
      await expect(remote.patch({ ...WIDGETS, name: 'absent' }, {}, options, context)).rejects.toMatchObject({
        code: 'NotFound',
        details: { kind: 'Widget', name: 'absent' },
      });
    });

    it('throws what the owner throws', async () => {
      const failure = remote.get({ ...WIDGETS, name: 'absent' }, context);
      await expect(failure).rejects.toMatchObject({ code: 'NotFound', details: { kind: 'Widget', name: 'absent' } });
    });

    it('says BadRequest when the request is malformed', async () => {
      const failure = remote.list(WIDGETS, { limit: -1 }, context);
      await expect(failure).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringContaining('limit') });
    });

    it.each([
      { how: 'replaced', write: () => remote.update({ ...WIDGETS, name: 'a' }, owner.draft, STATUS, context) },
      {
        how: 'merged',
        write: () => remote.patch({ ...WIDGETS, name: 'a' }, {}, { ...STATUS, type: 'merge' }, context),
      },
      {
        how: 'applied',
        write: () => remote.patch({ ...WIDGETS, name: 'a' }, {}, { ...STATUS, type: 'apply' }, context),
      },
    ])('does not let a status be $how by another service than the owner', async ({ write }) => {
      owner.put('a');
      const message = expect.stringContaining('written by the service that owns it');
      await expect(write()).rejects.toMatchObject({ code: 'Forbidden', message });
    });

    it('asks for more than reading when the subresource is a kubeconfig', async () => {
      // lifecycle may read at policy-mgmt, but has no kubeconfig scope there.
      const failure = remote.readSubresource({ ...WIDGETS, name: 'a' }, 'kubeconfig', context);
      await expect(failure).rejects.toMatchObject({ code: 'Forbidden' });
    });
  });

  describe('list', () => {
    it('gives all of a list that is far larger than one message', async () => {
      for (let index = 0; index < 300; index += 1) owner.put(`w-${index}`, { text: 'x'.repeat(1000) });

      const list = await remote.list(WIDGETS, {}, context);

      expect(list.items.map((item) => item.metadata.name)).toEqual(Array.from({ length: 300 }, (_, i) => `w-${i}`));
      expect(list.metadata.continue).toBeUndefined();
      expect(owner.calls).toBeGreaterThan(5);
    });

    it('gives an object that takes most of a message', async () => {
      for (const name of ['a', 'b', 'c']) owner.put(name, { text: 'x'.repeat(MAX_PAYLOAD * 0.7) });

      expect((await remote.list(WIDGETS, {}, context)).items).toHaveLength(3);
    });

    it('gives exactly the asked-for page, also when it takes several messages', async () => {
      for (let index = 0; index < 100; index += 1) owner.put(`w-${index}`, { text: 'x'.repeat(1000) });

      const first = await remote.list(WIDGETS, { limit: 70 }, context);
      const second = await remote.list(WIDGETS, { limit: 70, continue: first.metadata.continue as string }, context);

      expect(first.items).toHaveLength(70);
      expect(second.items).toHaveLength(30);
      expect(second.metadata.continue).toBeUndefined();
    });
  });

  describe('removal of a collection', () => {
    it('goes on part by part, and answers with all of them', async () => {
      for (let index = 0; index < 300; index += 1) owner.put(`w-${index}`, { text: 'x'.repeat(1000) });

      const gone = await remote.removeCollection(WIDGETS, {}, {}, context);

      expect(gone.items.map((item) => item.metadata.name)).toEqual(Array.from({ length: 300 }, (_, i) => `w-${i}`));
      expect(Math.max(...owner.removals)).toBeLessThanOrEqual(50);
    });

    it('takes no more than it was told to', async () => {
      for (let index = 0; index < 100; index += 1) owner.put(`w-${index}`);

      expect((await remote.removeCollection(WIDGETS, { limit: 70 }, {}, context)).items).toHaveLength(70);
      expect(owner.removals).toEqual([50, 20]);
    });

    it('of which there is nothing gives nothing', async () => {
      expect((await remote.removeCollection(WIDGETS, {}, {}, context)).items).toEqual([]);
    });
  });

  describe('watch', () => {
    it('gives what is there first, then every change, in order', async () => {
      owner.put('a');
      const watch = follow({});
      await eventually(() => watch.events.length === 1);

      owner.put('a', { color: 'red' });
      owner.put('b');
      owner.drop('a');

      await eventually(() => watch.events.length === 4);
      expect(watch.names()).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
      expect(await watch.stop()).toBe('ended');
    });

    it('marks the end of what was there when asked', async () => {
      owner.put('a');
      const watch = follow({ sendInitialEvents: true, resourceVersion: '1', allowBookmarks: true });
      await eventually(() => watch.events.length === 2);

      expect(watch.events[1]).toMatchObject({
        type: 'BOOKMARK',
        object: {
          kind: 'Widget',
          metadata: { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } },
        },
      });
      await watch.stop();
    });

    it('delivers a change at once, long before the poll would end', async () => {
      const watch = follow({ resourceVersion: '0' }, await open(LONG_POLL_MS));
      // What there is, and then the poll.
      await eventually(() => owner.calls >= 2);
      const start = performance.now();
      owner.put('a');
      await eventually(() => watch.events.length === 1);
      expect(performance.now() - start).toBeLessThan(LONG_POLL_MS / 2);
      await watch.stop();
    });

    it('begins at an owner that never stored anything', async () => {
      const watch = follow({ sendInitialEvents: true });
      await eventually(() => watch.events.length === 1);
      // Large enough for two messages, and with names against the order of change.
      for (const name of ['c', 'b', 'a']) owner.put(name, { text: 'x'.repeat(20_000) });
      await eventually(() => watch.events.length >= 4);
      owner.put('d');

      await eventually(() => watch.events.length === 5);
      expect([...watch.names().slice(1, 4)].sort()).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
      expect(watch.names()[4]).toBe('ADDED d');
      await watch.stop();
    });

    it('carries bursts that are larger than one message', async () => {
      owner.put('first');
      const watch = follow({ resourceVersion: '1' });
      for (let index = 0; index < 200; index += 1) owner.put(`w-${index}`, { text: 'x'.repeat(2000) });

      await eventually(() => watch.events.length === 200);
      expect(watch.names()).toEqual(Array.from({ length: 200 }, (_, i) => `ADDED w-${i}`));
      await watch.stop();
    });

    it('asks for no more than its reader takes', async () => {
      owner.put('first');
      const watch = remote.watch(WIDGETS, { resourceVersion: '1' }, context)[Symbol.asyncIterator]();
      owner.put('w-0');
      await watch.next();
      const asked = owner.calls;
      for (let index = 1; index < 1000; index += 1) owner.put(`w-${index}`, { text: 'x'.repeat(1000) });
      // Longer than an owner would hold a poll.
      await new Promise((resolve) => setTimeout(resolve, POLL_MS * 2));
      expect(owner.calls).toBe(asked);

      for (let index = 1; index < 1000; index += 1) {
        expect((await watch.next()).value).toMatchObject({ object: { metadata: { name: `w-${index}` } } });
      }
      await watch.return?.();
    });

    it('is quiet while nothing changes', async () => {
      const watch = follow({ resourceVersion: '0', allowBookmarks: true });
      await eventually(() => owner.calls >= 3);
      expect(watch.events).toEqual([]);
      await watch.stop();
    });

    it('begins now when it is told to leave out what there is', async () => {
      owner.put('a');
      const watch = follow({ sendInitialEvents: false });
      await eventually(() => owner.calls >= 2);
      owner.put('b');

      await eventually(() => watch.events.length === 1);
      expect(watch.names()).toEqual(['ADDED b']);
      await watch.stop();
    });

    it('tells where it has come to while only others change, when bookmarks are asked for', async () => {
      owner.put('a');
      const watch = follow({ resourceVersion: '1', allowBookmarks: true });
      await eventually(() => owner.calls >= 2);
      owner.changeElsewhere();

      await eventually(() => watch.events.length === 1);
      expect(watch.events).toMatchObject([{ type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } }]);
      await watch.stop();
    });

    it('hands on that a revision is not reached yet, instead of asking for ever', async () => {
      const watch = remote.watch(WIDGETS, { sendInitialEvents: true, resourceVersion: '7' }, context);
      await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        code: 'Timeout',
        details: { reason: 'ResourceVersionTooLarge' },
      });
    });

    it('fails of an object that no message carries, instead of asking for ever', async () => {
      owner.put('a', { text: 'x'.repeat(MAX_PAYLOAD) });
      const watch = remote.watch(WIDGETS, {}, context);
      await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        code: 'Unavailable',
        details: { reason: 'AnswerTooLarge' },
      });
    });

    it('ends cleanly after its time', async () => {
      const events = [];
      for await (const event of remote.watch(WIDGETS, { timeoutMs: 100 }, context)) events.push(event);
      expect(events).toEqual([]);
    });

    it('says Gone when the revision is too old', async () => {
      owner.put('a');
      owner.put('b');
      owner.compactedTo = 2;
      expect(await follow({ resourceVersion: '1' }).stop()).toBe('ended');
      const watch = remote.watch(WIDGETS, { resourceVersion: '1' }, context)[Symbol.asyncIterator]();
      await expect(watch.next()).rejects.toMatchObject({ code: 'Gone' });
    });

    it('misses nothing and doubles nothing when the replica it hangs on is killed', async () => {
      replicas.push(await startReplica());
      owner.put('first');
      const watches = Array.from({ length: 8 }, () => follow({ resourceVersion: '1' }));
      await eventually(() => owner.calls >= 8);
      owner.put('before');
      await replicas[0]?.kill();
      owner.put('after');

      const want = ['ADDED before', 'ADDED after'];
      for (const watch of watches) {
        await eventually(() => watch.events.length >= 2);
        expect(watch.names()).toEqual(want);
        expect(await watch.stop()).toBe('ended');
      }
    });

    it('moves to another replica at once when its own stops', async () => {
      replicas.push(await startReplica());
      owner.put('first');
      const watch = follow({ resourceVersion: '1' });
      await eventually(() => owner.calls >= 2);
      await replicas.shift()?.stop();
      owner.put('after');
      await eventually(() => watch.events.length === 1);
      await watch.stop();
    });

    it('waits while the owner is away, and goes on where it was', async () => {
      owner.put('a');
      const watch = follow({});
      await eventually(() => watch.events.length === 1);
      await replicas.pop()?.stop();
      owner.put('b');
      replicas.push(await startReplica());

      await eventually(() => watch.events.length === 2);
      expect(watch.names()).toEqual(['ADDED a', 'ADDED b']);
      await watch.stop();
    });

    it('survives a restart of NATS', async () => {
      owner.put('first');
      const watch = follow({ resourceVersion: '1' });
      await eventually(() => owner.calls >= 2);
      owner.put('a');
      await platform.nats.restart();
      owner.put('b');

      await eventually(() => watch.events.length === 2);
      expect(watch.names()).toEqual(['ADDED a', 'ADDED b']);
      await watch.stop();
    });
  });
});
