import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { unavailable } from '@crate/errors';
import { InMemoryTracer, runInSpan, traceparentOf } from '@crate/telemetry';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { PostgresResourceStore, resourceStoreMigrations, type StoreQuery } from '../index.js';
import { TRACEPARENT_ANNOTATION } from '../object/write-cause.js';
import type { PostgresStoreOptions } from './postgres-resource-store.js';

const WIDGETS: StoreQuery = { group: 'test.crate.dev', kind: 'Widget' };
const NEVER_MS = 3_600_000;

let server: PostgresServer;
let url: string;
let closing: (() => Promise<void>)[];
let stop: AbortController;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

beforeEach(async () => {
  ({ url } = await server.createDatabase());
  await migrate({ url, schema: 'test', directories: [resourceStoreMigrations] });
  closing = [];
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  for (const close of closing.reverse()) await close();
});

function openDatabase(): Database {
  const database = new Database({ url, schema: 'test' });
  closing.push(() => database.close());
  return database;
}

/** A replica that finds foreign changes by itself in an hour only. */
function openReplica(options: Partial<PostgresStoreOptions> = {}): PostgresResourceStore {
  const store = new PostgresResourceStore({ database: openDatabase(), pollMs: NEVER_MS, ...options });
  closing.push(() => store.close());
  return store;
}

function widget(name: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: 'test.crate.dev/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'team-a', ...metadata } as ObjectMeta,
    spec: { size: 1 },
  };
}

/** Collects the names that a watch sees, from now on. */
async function watchNames(store: PostgresResourceStore, query: Partial<StoreQuery> = {}): Promise<string[]> {
  const names: string[] = [];
  const fromRevision = await store.currentRevision();
  void (async () => {
    const options = { fromRevision, signal: stop.signal };
    for await (const { object } of store.watch({ ...WIDGETS, ...query }, options)) names.push(object.metadata.name);
  })();
  return names;
}

describe('two replicas', () => {
  it('see each other`s changes when notified', async () => {
    const [here, there] = [openReplica(), openReplica()];
    const names = await watchNames(there);
    await here.create(widget('one'));
    await eventually(() => {
      there.notify();
      expect(names).toEqual(['one']);
    });
    await there.create(widget('two'));
    await eventually(() => expect(names).toEqual(['one', 'two']));
  });

  it('look for a revision that they are told of unless they have read it', async () => {
    const database = openDatabase();
    const [here, there] = [openReplica(), openReplica({ database })];
    const names = await watchNames(there);
    const { metadata } = await here.create(widget('one'));
    await eventually(() => {
      there.notify(metadata.resourceVersion);
      expect(names).toEqual(['one']);
    });
    // What a notice of before still made it read is over once this has come.
    await there.create(widget('two'));
    await eventually(() => expect(names).toEqual(['one', 'two']));

    const reads = jest.spyOn(database, 'rows');
    there.notify(metadata.resourceVersion);
    await there.find({ group: 'test.crate.dev', kind: 'Widget', namespace: 'team-a', name: 'one' });
    expect(reads).not.toHaveBeenCalled();
    const later = await here.create(widget('three'));
    there.notify(later.metadata.resourceVersion);
    await eventually(() => expect(names).toEqual(['one', 'two', 'three']));
    expect(reads).toHaveBeenCalled();
  });

  it('see each other`s changes by polling when nobody notifies', async () => {
    const [here, there] = [openReplica(), openReplica({ pollMs: 10 })];
    const names = await watchNames(there);
    await here.create(widget('one'));

    await eventually(() => expect(names).toEqual(['one']));
  });

  it('tell their listeners of each change once, and whose it is', async () => {
    const stores = [openReplica({ pollMs: 5 }), openReplica({ pollMs: 5 })] as const;
    const told = stores.map((store) => {
      const all: string[] = [];
      store.onChange((notices, origin) => all.push(...notices.map(({ key }) => `${origin} ${key.name}`)));
      return all;
    });
    // Listeners hear of what comes after they joined the log, so wait until they did.
    await eventually(async () => {
      await stores[0].create(widget(`join-${told[1]?.length}-${Math.random()}`));
      expect(told[1]).not.toEqual([]);
    });
    const before = told.map((all) => all.length);
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => stores[(index % 2) as 0 | 1].create(widget(`w${index % 2}-${index}`))),
    );
    await stores[1].create(widget('end'));

    const news = (index: number): string[] => (told[index] ?? []).slice(before[index]);
    const count = (index: number, prefix: string): number =>
      news(index).filter((line) => line.startsWith(prefix)).length;
    await eventually(() => expect(news(0)).toContain('remote end'));
    await eventually(() => expect(count(1, 'remote w0')).toBe(100));
    expect([count(0, 'local w0'), count(0, 'remote w1'), count(0, 'local w1')]).toEqual([100, 100, 0]);
    expect([count(1, 'local w1'), count(1, 'remote w0'), count(1, 'remote w1')]).toEqual([100, 100, 0]);
  });

  it.each([
    { name: 'and is read from the log after that', isReadBefore: false },
    { name: 'and was read from the log before that', isReadBefore: true },
  ])(
    'tell their listeners once of a write that was committed although no answer came, $name',
    async ({ isReadBefore }) => {
      const database = openDatabase();
      const store = openReplica({ database, pollMs: 5 });
      const told: string[] = [];
      store.onChange((notices, origin) => told.push(...notices.map(({ key }) => `${origin} ${key.name}`)));
      const other = openReplica();
      await eventually(async () => {
        await other.create(widget(`join-${Math.random()}`));
        expect(told).not.toEqual([]);
      });
      const rows = database.rows.bind(database) as (text: string, values?: readonly unknown[]) => Promise<never[]>;
      const answers = jest.spyOn(database, 'rows').mockImplementation(async (text, values) => {
        const found = await rows(text, values);
        if (!text.includes('commit_resource_writes')) return found;
        await eventually(async () => {
          const { head, toldTo } = await store.observe();
          expect(isReadBefore ? toldTo : head).toBe(head);
        });
        throw unavailable('The connection ended');
      });

      await expect(store.create(widget('unanswered'))).rejects.toMatchObject({ code: 'Unavailable' });
      answers.mockRestore();
      await eventually(() => expect(told).toContain('remote unanswered'));
      await store.create(widget('after'));
      await eventually(async () => expect((await store.observe()).toldTo).toBe(Number(await store.currentRevision())));
      expect(told.filter((line) => line.includes('unanswered'))).toEqual(['remote unanswered']);
    },
  );

  it('leave no dependent behind that is created while its owner goes', async () => {
    const stores = [openReplica(), openReplica(), openReplica()] as const;
    for (let round = 0; round < 20; round += 1) {
      const owner = await stores[0].create(widget(`owner-${round}`));
      const { name, uid } = owner.metadata;
      const ownerReferences = [{ apiVersion: owner.apiVersion, kind: 'Widget', name, uid }];
      const children = Array.from({ length: 10 }, (_, index) =>
        stores[(index % 2) as 0 | 1].create(widget(`child-${round}-${index}`, { ownerReferences })),
      );
      await Promise.all([...children, stores[2].remove({ ...WIDGETS, namespace: 'team-a', name })]);
    }

    expect((await stores[0].list(WIDGETS)).items).toEqual([]);
  });

  it('keep the newest changes and forget the rest by themselves', async () => {
    const [here, there] = [openReplica({ history: 50 }), openReplica({ history: 50 })];
    const one = await here.create(widget('untouched'));
    const sizes = Array.from({ length: 200 }, (_, index) => index);
    for (const index of sizes) await (index % 2 === 0 ? here : there).create(widget(`w${index}`));

    await eventually(async () => {
      await expect(here.changesSince('130', 1)).rejects.toMatchObject({ code: 'Gone' });
    });
    expect(await here.changesSince('151', 100)).toHaveLength(50);
    expect(await there.find({ ...WIDGETS, namespace: 'team-a', name: 'untouched' })).toEqual(one);
  });
});

describe('a replica that nobody watches', () => {
  it('asks the database nothing, also after watches ended', async () => {
    const database = openDatabase();
    const store = openReplica({ database, pollMs: 1 });
    const queries = jest.spyOn(database, 'rows');
    const names = await watchNames(store);
    await store.create(widget('one'));
    await eventually(() => expect(names).toEqual(['one']));
    stop.abort();
    const settled = eventually(async () => {
      const before = queries.mock.calls.length;
      for (let turn = 0; turn < 20; turn += 1) await database.firstRow('SELECT pg_sleep(0.001)');
      expect(queries.mock.calls.length).toBe(before);
    });

    await expect(settled).resolves.toBeUndefined();
  });
});

describe('a replica with many watches', () => {
  it('reads each change once for all of them', async () => {
    const database = openDatabase();
    const store = openReplica({ database });
    const all = await Promise.all(Array.from({ length: 50 }, () => watchNames(store)));
    await store.create(widget('first'));
    await eventually(() => expect(all.every((names) => names.length === 1)).toBe(true));
    const queries = jest.spyOn(database, 'rows');

    for (let index = 0; index < 20; index += 1) await store.create(widget(`w${index}`));
    await eventually(() => expect(all.every((names) => names.length === 21)).toBe(true));

    // A commit and at most two looks at the log for each change, whatever the number of watches.
    expect(queries.mock.calls.length).toBeLessThanOrEqual(60);
  });
});

describe('a write', () => {
  const createQueue = `
    CREATE TABLE due (reconciler text, namespace text, name text, trace text);
    CREATE FUNCTION enqueue_work(reconciler text, namespace text, name text, trace text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF name = 'bad' THEN RAISE EXCEPTION 'no'; END IF;
      INSERT INTO due VALUES (reconciler, namespace, name, trace);
    END $$`;

  it('makes the keys of routed kinds due in its own transaction', async () => {
    const database = openDatabase();
    const store = openReplica({ database });
    await database.rowsOnce(createQueue);
    await store.create(widget('unrouted'));
    await database.rowsOnce(
      `INSERT INTO work_routes VALUES ('test.crate.dev', 'Widget', 'widget'), ('test.crate.dev', 'Widget', 'census'), ('', 'Gadget', 'gadget')`,
    );
    const one = await store.create(widget('one'));
    await store.update(one);
    await store.remove({ ...WIDGETS, namespace: 'team-a', name: 'one' });

    const due = { namespace: 'team-a', name: 'one', trace: null };
    expect(await database.rows('SELECT * FROM due ORDER BY reconciler')).toEqual([
      { reconciler: 'census', ...due },
      { reconciler: 'census', ...due },
      { reconciler: 'widget', ...due },
      { reconciler: 'widget', ...due },
    ]);
  });

  it('of a status alone makes nothing due, and one of what is asked for does', async () => {
    const database = openDatabase();
    const store = openReplica({ database });
    await database.rowsOnce(createQueue);
    const one = await store.create(widget('one'));
    await database.rowsOnce(`INSERT INTO work_routes VALUES ('test.crate.dev', 'Widget', 'widget')`);
    const reported = await store.update({ ...one, status: { seen: true } });
    expect(reported.metadata.resourceVersion).not.toBe(one.metadata.resourceVersion);
    expect(await database.rows('SELECT * FROM due')).toEqual([]);

    await store.update({ ...reported, metadata: { ...reported.metadata, annotations: { look: 'now' } } });
    expect(await database.rows('SELECT name FROM due')).toEqual([{ name: 'one' }]);
  });

  it('hands on the trace of whoever writes, or the one that it annotates', async () => {
    const database = openDatabase();
    const store = openReplica({ database });
    await database.rowsOnce(createQueue);
    await database.rowsOnce(`INSERT INTO work_routes VALUES ('test.crate.dev', 'Widget', 'widget')`);
    const span = new InMemoryTracer().begin('POST');
    const within = (work: () => Promise<KubeObject>): Promise<KubeObject> => runInSpan(span, {}, work);
    const mine = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const annotations = { [TRACEPARENT_ANNOTATION]: mine };

    const one = await within(() => store.create(widget('one')));
    const annotated = await within(() => store.update({ ...one, metadata: { ...one.metadata, annotations } }));
    const later = await within(() => store.update({ ...annotated, spec: { size: 2 } }));
    const wrong = { ...later.metadata, annotations: { [TRACEPARENT_ANNOTATION]: 'nonsense' } };
    await within(() => store.update({ ...later, metadata: wrong }));

    const own = traceparentOf(span);
    const rows = await database.rows<{ trace: string }>('SELECT trace FROM due');
    expect(rows.map(({ trace }) => trace)).toEqual([own, mine, own, own]);
    expect(span.links.map(({ traceId }) => traceId)).toEqual(['ab'.repeat(16)]);
  });

  it('that fails does not fail those that share its transaction', async () => {
    const database = openDatabase();
    const store = openReplica({ database });
    await database.rowsOnce(createQueue);
    await database.rowsOnce(`INSERT INTO work_routes VALUES ('test.crate.dev', 'Widget', 'widget')`);

    const names = ['a', 'b', 'bad', 'c', 'd'];
    const results = await Promise.allSettled(names.map((name) => store.create(widget(name))));

    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect((await store.list(WIDGETS)).items.map((item) => item.metadata.name)).toEqual(['a', 'b', 'c', 'd']);
    expect(await store.currentRevision()).toBe('4');
  });

  it('says Unavailable while the database is away, and works again after it', async () => {
    const store = openReplica();
    const create = async (): Promise<KubeObject> => store.create(widget(`w${Math.random()}`));
    process.kill(server.pid, 'SIGKILL');
    // Connections that are open outlive the server for a moment.
    await eventually(async () => expect(create()).rejects.toMatchObject({ code: 'Unavailable' }));
    await server.restart();

    await eventually(create);
    const { items } = await store.list(WIDGETS);
    expect(await store.currentRevision()).toBe(String(items.length));
  });

  it('is refused once the store is closed', async () => {
    const store = openReplica();
    await store.close();

    await expect(store.create(widget('one'))).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
