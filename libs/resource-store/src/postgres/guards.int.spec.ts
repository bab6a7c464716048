import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectMeta } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { digestOf, PostgresResourceStore, resourceStoreMigrations, type StoreGuard } from '../index.js';

const WIDGETS = { group: 'test.crate.dev', kind: 'Widget', namespace: 'team-a' };
const STORED = 300;
/** Rows that this transaction has read of the table: whole, by bitmaps, and by indexes, which Postgres counts apart. */
const READ_SO_FAR = `SELECT (pg_stat_get_xact_tuples_returned('resources'::regclass)
  + pg_stat_get_xact_tuples_fetched('resources'::regclass) + sum(pg_stat_get_xact_tuples_fetched(indexrelid)))::int AS read
  FROM pg_index WHERE indrelid = 'resources'::regclass`;

let server: PostgresServer;
let database: Database;

beforeAll(async () => {
  server = await startPostgres();
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'test', directories: [resourceStoreMigrations] });
  database = new Database({ url, schema: 'test' });
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

/** What the guard's digest is by now, and how many rows were read to tell, planned as a write's statements are: once for all values. */
function judged(guard: Omit<StoreGuard, 'digest'>): Promise<{ digest: string; read: number }> {
  return database.transaction(async (transaction) => {
    await transaction.rowsOnce(`SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`);
    const text = JSON.stringify(guard);
    const found = await transaction.firstRow<{ digest: string }>('SELECT digest_of_resources($1::jsonb) AS digest', [
      text,
    ]);
    const counted = await transaction.firstRow<{ read: number }>(READ_SO_FAR);
    return { ...found!, ...counted! };
  });
}

describe('a guard of one among many', () => {
  it('reads that one alone', async () => {
    const store = new PostgresResourceStore({ database });
    const writes = Array.from({ length: STORED }, (_, index) =>
      store.create({
        ...{ apiVersion: 'test.crate.dev/v1', kind: WIDGETS.kind },
        metadata: { name: `widget-${index}`, namespace: WIDGETS.namespace } as ObjectMeta,
      }),
    );
    const [first] = await Promise.all(writes);
    await database.execute('ANALYZE resources', []);

    const named = await judged({ ...WIDGETS, name: first!.metadata.name });
    const all = await judged(WIDGETS);
    await store.close();

    expect(named).toEqual({ digest: digestOf([first!]), read: 1 });
    // What is counted is there to be seen.
    expect(all.read).toBeGreaterThanOrEqual(STORED);
  });
});
