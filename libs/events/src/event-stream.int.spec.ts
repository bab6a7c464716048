import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EVENT, EVENT_V1, type WatchEvent } from '@crate/api';
import { Database } from '@crate/database';
import type { CallContext, ResourceApi } from '@crate/resource-client';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { EVENT_COLLECTION } from './event-object.js';
import { EventRetention } from './event-retention.js';
import { EventStream } from './event-stream.js';
import { servedEvents, servedEventsV1 } from './served-events.js';
import { anObject } from './testing/an-object.js';

const CONTEXT: CallContext = { caller: { user: 'alice', groups: [] }, traceId: 'trace' };
const HOUR_MS = 3_600_000;
const CLOCKS_THAT_GO_ON = [
  ...(['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'performance'] as const),
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
];

let postgres: PostgresServer;
let url: string;
let stream: EventStream;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  ({ url } = await postgres.createDatabase());
  stream = await open();
});
afterEach(() => stream.close());

function open(): Promise<EventStream> {
  return EventStream.open({
    reporter: { component: 'cloud-mgmt', instance: 'host' },
    ...{ url, schema: 'cloud_mgmt', keepMs: HOUR_MS, mostPerNamespace: 1000 },
    ...{ logger: new InMemoryLogger(), metrics: new InMemoryMetrics() },
  });
}

function record(name: string, reason: string): void {
  stream.recorder.record(anObject(name), { type: 'Normal', reason, message: `${reason} of ${name}` });
}

async function reasons(): Promise<readonly unknown[]> {
  return (await stream.store.list(EVENT_COLLECTION)).items.map((event) => event['reason']).sort();
}

function apiOf({ api }: { readonly api?: ResourceApi }): ResourceApi {
  if (!api) throw new Error('The kind does not answer for itself');
  return api;
}

describe('EventStream', () => {
  it('writes what is pending before it closes', async () => {
    record('demo', 'Planned');
    await stream.close();
    stream = await open();
    expect(await reasons()).toEqual(['Planned']);
  });

  it('is read in both versions, selected by the fields of each', async () => {
    record('demo', 'Planned');
    record('demo', 'Applied');
    record('test', 'Planned');
    await eventually(async () => expect(await reasons()).toHaveLength(3));

    const fields =
      'involvedObject.kind=Infrastructure,involvedObject.name=demo,involvedObject.uid=uid-demo,type=Normal';
    const core = await apiOf(servedEvents(stream.api)).list(EVENT, { fieldSelector: fields }, CONTEXT);
    expect(core.items.map((event) => event['reason']).sort()).toEqual(['Applied', 'Planned']);

    const newer = { namespace: 'team-a', fieldSelector: 'regarding.name=demo,reason=Applied' };
    const list = await apiOf(servedEventsV1(stream.api)).list(EVENT_V1, newer, CONTEXT);
    expect(list).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      items: [{ apiVersion: 'events.k8s.io/v1', regarding: { name: 'demo' }, note: 'Applied of demo' }],
    });
  });

  it('is watched in both versions, bookmarks included', async () => {
    const api = apiOf(servedEventsV1(stream.api));
    const controller = new AbortController();
    const seen: WatchEvent[] = [];
    const options = { sendInitialEvents: true, allowBookmarks: true, fieldSelector: 'regarding.name=demo' };
    const watching = (async () => {
      for await (const event of api.watch(EVENT_V1, options, { ...CONTEXT, signal: controller.signal }))
        seen.push(event);
    })();
    await eventually(() =>
      expect(seen).toMatchObject([{ type: 'BOOKMARK', object: { apiVersion: 'events.k8s.io/v1' } }]),
    );
    record('test', 'Planned');
    record('demo', 'Planned');
    await eventually(() => expect(seen[1]).toMatchObject({ type: 'ADDED', object: { note: 'Planned of demo' } }));
    controller.abort();
    await watching;
  });

  it('is written by nobody but the service', async () => {
    const api = apiOf(servedEvents(stream.api));
    const ref = { group: '', version: 'v1', plural: 'events', namespace: 'team-a', name: 'x' };
    await expect(api.remove(ref, {}, CONTEXT)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(api.create(ref, anObject('x'), {}, CONTEXT)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('keeps its revisions apart from those of the service', async () => {
    record('demo', 'Planned');
    await eventually(async () => expect(await stream.store.currentRevision()).toBe('1'));
    const database = new Database({ url, schema: 'cloud_mgmt' });
    await expect(database.rows('SELECT FROM resources')).rejects.toThrow();
    await database.close();
  });
});

describe('EventRetention', () => {
  let database: Database;
  beforeEach(() => {
    database = new Database({ url, schema: 'cloud_mgmt_events' });
  });
  afterEach(() => database.close());

  function retention(changes: { keepMs?: number; mostPerNamespace?: number } = {}): EventRetention {
    const options = { database, store: stream.store, logger: new InMemoryLogger() };
    return new EventRetention({ ...options, keepMs: HOUR_MS, mostPerNamespace: 1000, ...changes });
  }

  /** As if everything had happened so much earlier. */
  async function age(ms: number): Promise<void> {
    await database.rowsOnce(`UPDATE resources SET object = jsonb_set(object, '{lastTimestamp}', to_jsonb($1::text))`, [
      new Date(Date.now() - ms).toISOString(),
    ]);
  }

  it('takes away what happened too long ago, and nothing else', async () => {
    record('demo', 'Planned');
    await eventually(async () => expect(await reasons()).toHaveLength(1));
    await age(HOUR_MS - 60_000);
    expect(await retention().clean()).toBe(0);
    await age(HOUR_MS + 60_000);
    expect(await retention().clean()).toBe(1);
    expect(await reasons()).toEqual([]);
  });

  it('finds what is old by the index, and not by reading all events', async () => {
    await retention().clean();
    const [statement] = await database.rowsOnce<{ name: string }>(
      `SELECT name FROM pg_prepared_statements WHERE statement LIKE '%lastTimestamp%'`,
    );
    const plan = await database.rowsOnce(`EXPLAIN EXECUTE ${statement?.name}(${HOUR_MS})`);
    expect(JSON.stringify(plan)).toContain('resources_last_timestamp');
  });

  it('takes nothing for old by the clock of this host', async () => {
    record('demo', 'Planned');
    await eventually(async () => expect(await reasons()).toHaveLength(1));
    jest.useFakeTimers({ now: Date.now() + 24 * HOUR_MS, doNotFake: CLOCKS_THAT_GO_ON });
    try {
      expect(await retention().clean()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('takes away the oldest of a namespace that has too many; watchers see them go', async () => {
    for (let i = 0; i < 8; i++) {
      record('demo', `Reason${i}`);
      await eventually(async () => expect(await reasons()).toHaveLength(i + 1));
    }
    expect(await retention({ mostPerNamespace: 5 }).clean()).toBe(3);
    expect(await reasons()).toEqual(['Reason3', 'Reason4', 'Reason5', 'Reason6', 'Reason7']);
    expect((await stream.store.changesSince('8', 10)).map(({ type }) => type)).toEqual([
      'DELETED',
      'DELETED',
      'DELETED',
    ]);
  });

  it('does no harm where two replicas clean at once', async () => {
    for (let i = 0; i < 20; i++) record('demo', `Reason${i}`);
    await eventually(async () => expect(await reasons()).toHaveLength(20));
    await age(2 * HOUR_MS);
    await Promise.all([retention().clean(), retention().clean()]);
    expect(await reasons()).toEqual([]);
  });

  it('takes away what happened in a namespace before a moment', async () => {
    record('demo', 'Planned');
    await eventually(async () => expect(await reasons()).toHaveLength(1));
    expect(await retention().removeNamespace('team-a', new Date(Date.now() - HOUR_MS))).toBe(0);
    expect(await retention().removeNamespace('team-b', new Date(Date.now() + HOUR_MS))).toBe(0);
    expect(await retention().removeNamespace('team-a', new Date(Date.now() + HOUR_MS))).toBe(1);
    expect(await reasons()).toEqual([]);
  });

  it('empties a namespace', async () => {
    record('demo', 'Planned');
    await eventually(async () => expect(await retention().namespaces()).toEqual(['team-a']));
    expect(await retention().removeNamespace('team-a')).toBe(1);
    expect(await reasons()).toEqual([]);
  });
});
