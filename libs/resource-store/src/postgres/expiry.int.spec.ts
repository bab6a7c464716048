import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ObjectMeta } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { PostgresResourceStore, resourceStoreMigrations, type StoreQuery } from '../index.js';

const WIDGETS: StoreQuery = { group: 'test.crate.dev', kind: 'Widget' };
const HOUR_MS = 3_600_000;

let server: PostgresServer;
let database: Database;
let store: PostgresResourceStore;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

beforeEach(async () => {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'test', directories: [resourceStoreMigrations] });
  database = new Database({ url, schema: 'test' });
  store = new PostgresResourceStore({ database, history: 5 });
});
afterEach(async () => {
  await store.close();
  await database.close();
});

async function write(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const metadata = { name, namespace: 'team-a' } as ObjectMeta;
    await store.create({ apiVersion: 'test.crate.dev/v1', kind: 'Widget', metadata });
  }
}

/** All that was looked at so far was looked at this much earlier. */
async function age(ms: number): Promise<void> {
  await database.execute(`UPDATE resource_marks SET taken_at = taken_at - $1 * interval '1 millisecond'`, [ms]);
}

/** The oldest revision that a watch may still begin after. */
async function floor(): Promise<number> {
  for (let revision = 0; ; revision += 1) {
    const isThere = await store.changesSince(String(revision), 1).then(
      () => true,
      () => false,
    );
    if (isThere) return revision;
  }
}

describe('expire', () => {
  it('forgets what is older than the age, and nothing younger', async () => {
    await write('a', 'b');
    await store.expire(HOUR_MS);
    await write('c');
    expect(await floor()).toBe(0);

    await age(HOUR_MS);
    await store.expire(HOUR_MS);
    expect(await floor()).toBe(2);
    await expect(store.list(WIDGETS, { exactly: '1' })).rejects.toMatchObject({ code: 'Gone' });
    expect((await store.list(WIDGETS, { exactly: '2' })).items).toHaveLength(2);

    await age(HOUR_MS);
    await store.expire(HOUR_MS);
    expect(await floor()).toBe(3);
    expect((await store.list(WIDGETS)).items).toHaveLength(3);
  });

  it('forgets all but the newest, however young', async () => {
    await write('a', 'b', 'c', 'd', 'e', 'f', 'g');
    await store.expire(HOUR_MS);
    expect(await floor()).toBe(2);
  });

  it('may be called by any number of replicas at once, and before anything was written', async () => {
    await Promise.all(Array.from({ length: 8 }, () => store.expire(0)));
    await write('a');
    await Promise.all(Array.from({ length: 8 }, () => store.expire(0)));
    expect(await floor()).toBe(1);
    const [{ count } = { count: '' }] = await database.rows<{ count: string }>('SELECT count(*) FROM resource_marks');
    expect(count).toBe('1');
  });
});
