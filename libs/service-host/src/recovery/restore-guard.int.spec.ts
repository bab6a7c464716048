import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import { SECRETS_MIGRATIONS } from '@crate/secrets';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { MemoryMarker } from './memory-marker.js';
import { RecoveryState } from './recovery-state.js';
import { RestoreGuard } from './restore-guard.js';

const WIDGETS = { group: 'test', kind: 'Widget' };
const SCHEMAS = ['main', 'main_events'];

let server: PostgresServer;
let directory: string;
let open: Database[];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-guard-'));
  open = [];
});
afterEach(async () => {
  for (const database of open) await database.close();
  await rm(directory, { recursive: true, force: true });
});

/** A service's database, and the guard of one start of the service. */
class World {
  setBacks = 0;
  readonly logger = new InMemoryLogger();

  private constructor(
    readonly url: string,
    private readonly databases: Readonly<Record<string, Database>>,
  ) {}

  static async open(url: string): Promise<World> {
    for (const schema of SCHEMAS) {
      const directories = [resourceStoreMigrations, WORK_QUEUE_MIGRATIONS, SECRETS_MIGRATIONS];
      await migrate({ url, schema, directories });
    }
    const databases = SCHEMAS.map((schema) => [schema, new Database({ url, schema, maxConnections: 2 })] as const);
    open.push(...databases.map(([, database]) => database));
    return new World(url, Object.fromEntries(databases));
  }

  database(schema = 'main'): Database {
    const found = this.databases[schema];
    if (!found) throw new Error('No such schema');
    return found;
  }

  guard(everyMs = 60_000): RestoreGuard {
    return new RestoreGuard({
      marker: new MemoryMarker(join(directory, 'memory.json')),
      main: this.database(),
      schemas: this.databases,
      everyMs,
      logger: this.logger,
      onSetBack: () => (this.setBacks += 1),
    });
  }

  /** As another replica has one, of the main schema. */
  another(): Database {
    const database = new Database({ url: this.url, schema: 'main', maxConnections: 2 });
    open.push(database);
    return database;
  }

  async revision(schema = 'main'): Promise<number> {
    const row = await this.database(schema).firstRow<{ revision: string }>('SELECT revision FROM resource_head');
    return Number(row?.revision);
  }

  async advance(by: number, schema = 'main'): Promise<void> {
    await this.database(schema).execute('UPDATE resource_head SET revision = revision + $1', [by]);
  }

  async recovery(): Promise<unknown> {
    return new RecoveryState(this.database()).find();
  }

  async epoch(): Promise<number> {
    const row = await this.database().firstRow<{ epoch: string }>(`SELECT nextval('work_epochs') AS epoch`);
    return Number(row?.epoch);
  }
}

/** A database that was set back: a copy of it from before the world went on, and what the service noted meanwhile. */
async function setBack(...schemas: readonly string[]): Promise<World> {
  const { url } = await server.createDatabase();
  const before = await World.open(url);
  await before.advance(40);
  await before.database().execute(
    `INSERT INTO secret_versions (owner_uid, kind, serial, epoch, key_id, wrapped_key, iv, tag, ciphertext, digest)
     VALUES ('a', 'state', 1, 7, 'k', '', '', '', '', '')`,
  );
  await before.database().execute(
    `INSERT INTO work_items (reconciler, namespace, name, due_at, epoch, lease_until)
     VALUES ('r', '', 'a', 'infinity', 5, now() + interval '1 hour')`,
  );
  const backup = await copyOf(url);
  const world = await World.open(url);
  for (const schema of schemas) await world.advance(60, schema);
  await world.guard().check();
  return World.open(backup);
}

/** PostgreSQL copies a database that nobody is connected to. */
async function copyOf(url: string): Promise<string> {
  for (const database of open.splice(0)) await database.close();
  const copy = new URL(url);
  const name = copy.pathname.slice(1);
  copy.pathname = `${name}_copy`;
  const admin = new Database({ url: server.url, schema: 'public', maxConnections: 1 });
  await admin.rowsOnce(`CREATE DATABASE "${name}_copy" TEMPLATE "${name}"`);
  await admin.close();
  return copy.href;
}

function widget(): KubeObject {
  return { apiVersion: 'test/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'a' } as ObjectMeta, spec: {} };
}

/** Connections to the database that wait for a lock. */
async function waiting(database: Database): Promise<number> {
  const rows = await database.rows(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}

describe('RestoreGuard', () => {
  it('finds nothing at a first start, nor when the database went on or stood still', async () => {
    const world = await World.open((await server.createDatabase()).url);
    for (const by of [0, 10, 0]) {
      await world.advance(by);
      await world.guard().check();
    }
    expect(await world.recovery()).toBeUndefined();
    expect(await world.revision()).toBe(10);
  });

  it.each([
    { reason: 'there is none', why: /ENOENT/, spoil: (file: string) => rm(file) },
    { reason: 'it is half a file', why: /JSON/, spoil: (file: string) => writeFile(file, '{"main":') },
  ])('says that nobody would notice a restore where $reason of a database in use', async ({ why, spoil }) => {
    const file = join(directory, 'memory.json');
    const world = await World.open((await server.createDatabase()).url);
    await world.guard().check();
    await world.advance(10);
    await world.guard().check();
    expect(world.logger.lines).toEqual([]);

    await spoil(file);
    await world.guard().check();
    expect(world.logger.lines).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(/^No recovery marker/),
        fields: { file, why: expect.stringMatching(why) },
      },
    ]);
    await world.guard().check();
    expect(world.logger.lines).toHaveLength(1);
  });

  it('begins a recovery in a database that knows less than was noted', async () => {
    const restored = await setBack('main');
    await restored.guard().check();
    expect(await restored.recovery()).toMatchObject({ epoch: 1, reason: expect.stringContaining('40') });
  });

  it('gives out no revision twice, and tells readers of the lost ones that they are gone', async () => {
    const restored = await setBack('main');
    await restored.guard().check();
    expect(await restored.revision()).toBeGreaterThan(100);
    const store = new PostgresResourceStore({ database: restored.database() });
    for (const fromRevision of ['30', '40', '90', '100']) {
      const watch = store.watch(WIDGETS, { fromRevision, signal: AbortSignal.timeout(120_000) });
      await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Gone' });
    }
    await store.close();
  });

  it('is not undone by a write that another replica has under way', async () => {
    const restored = await setBack('main');
    const main = restored.database();
    const store = new PostgresResourceStore({ database: restored.another() });
    const done: Promise<unknown>[] = [];
    // Whoever forgets changes holds the floor: so the check stands still once it has moved the revision.
    await restored.another().transaction(async (transaction) => {
      await transaction.execute('SELECT FROM resource_floor FOR UPDATE');
      done.push(restored.guard().check());
      await eventually(async () => expect(await waiting(main)).toBe(1));
      done.push(store.create(widget()));
      await eventually(async () => expect(await waiting(main)).toBe(2));
    });
    await Promise.all(done);
    const { head, floor } = await store.observe();
    expect(head).toBe(floor + 1);
    await store.close();
  });

  it('lets no holder of an older epoch win, and makes every key due', async () => {
    const restored = await setBack('main');
    await restored.guard().check();
    const [secret] = await restored.database().rows<{ epoch: string }>('SELECT epoch FROM secret_versions');
    // A large fleet gives out more than a million a day.
    expect(Number(secret?.epoch)).toBeGreaterThan(1_000_000_000);
    expect(await restored.epoch()).toBeGreaterThan(Number(secret?.epoch));
    const [item] = await restored.database().rows('SELECT lease_until, due_at <= now() AS due FROM work_items');
    expect(item).toEqual({ lease_until: null, due: true });
  });

  it('does so once, however many replicas start, and again only after the next restore', async () => {
    const restored = await setBack(...SCHEMAS);
    await Promise.all([restored.guard().check(), restored.guard().check(), restored.guard().check()]);
    const revision = await restored.revision();
    await restored.guard().check();
    expect(await restored.revision()).toBe(revision);
    expect(await restored.recovery()).toMatchObject({ epoch: 1 });
  });

  it('notices it by the events alone', async () => {
    const restored = await setBack('main_events');
    await restored.guard().check();
    expect(await restored.recovery()).toMatchObject({ epoch: 1 });
    expect(await restored.revision('main_events')).toBeGreaterThan(60);
  });

  it('is not lost where it was noticed by the events alone and broken off', async () => {
    const restored = await setBack('main_events');
    // Whoever holds a lease holds the check up after the revisions have moved; its session is ended there, as that of a killed process is.
    await restored.another().transaction(async (transaction) => {
      await transaction.execute('SELECT FROM work_items FOR UPDATE');
      const check = expect(restored.guard().check()).rejects.toMatchObject({ code: 'Unavailable' });
      await eventually(async () => expect(await waiting(restored.database())).toBe(1));
      await restored.database().execute(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      await check;
    });
    await restored.guard().check();
    expect(await restored.recovery()).toMatchObject({ epoch: 1 });
  });

  it('is over once a person confirmed', async () => {
    const restored = await setBack('main');
    await restored.guard().check();
    await restored.database().execute(`UPDATE recovery SET confirmed_at = now(), confirmed_by = 'ada'`);
    expect(await restored.recovery()).toBeUndefined();
    // That it happened is not forgotten: what came before it may be more than is known.
    const last = await new RecoveryState(restored.database()).findLast();
    expect(last).toEqual({ begunAt: expect.any(Date), isOpen: false });
  });

  it('ends a process under which the database was set back, and asks for that once', async () => {
    const world = await World.open((await server.createDatabase()).url);
    await world.advance(50);
    const guard = world.guard(20);
    await guard.check();
    guard.start();
    await world.database().execute('UPDATE resource_head SET revision = 20');
    await eventually(() => expect(world.setBacks).toBe(1));
    await guard.stop();
    expect(world.setBacks).toBe(1);
  });

  it('ends one that another replica was quicker than, and leaves that replica alone', async () => {
    const world = await World.open((await server.createDatabase()).url);
    await world.advance(50);
    const guard = world.guard();
    await guard.check();
    await world.database().execute('UPDATE resource_head SET revision = 20');
    const quicker = world.guard();
    await quicker.check();
    await quicker.stop();
    expect(world.setBacks).toBe(0);
    await guard.stop();
    expect(world.setBacks).toBe(1);
  });
});
