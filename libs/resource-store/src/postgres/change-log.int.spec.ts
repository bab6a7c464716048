import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { resourceStoreMigrations } from '../index.js';
import { ChangeLog } from './change-log.js';

const CHANGES = 20_000;
/** From the sixth on a server may use one plan for all values. */
const READS = 12;

let server: PostgresServer;
let database: Database;

beforeAll(async () => {
  server = await startPostgres();
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'test', directories: [resourceStoreMigrations] });
  database = new Database({ url, schema: 'test', maxConnections: 1 });
  await database.execute(
    `INSERT INTO resource_changes (uid, api_group, kind, namespace, name, revision, object, type, writer)
     SELECT i::text, 'test.crate.dev', 'Widget', 'team-a', 'widget-' || i, i, '{"metadata": {}}', 'ADDED', 'test'
     FROM generate_series(1, $1::int) AS i`,
    [CHANGES],
  );
  await database.execute('UPDATE resource_head SET revision = $1', [CHANGES]);
  await database.execute('ANALYZE resource_changes', []);
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

describe('a page of all changes', () => {
  it('is planned once for all values, and read by the key', async () => {
    const log = new ChangeLog(database);
    for (let read = 0; read < READS; read += 1) await log.read(CHANGES - 1, 500);
    const { changes, readTo } = await log.read(CHANGES - 700, 500);

    expect(changes.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 500 }, (_, index) => CHANGES - 699 + index),
    );
    expect(readTo).toBe(CHANGES - 200);
    const [plans] = await database.rowsOnce<{ general: number; text: string }>(
      `SELECT generic_plans::int AS general, name AS text FROM pg_prepared_statements WHERE statement LIKE '%LATERAL%'`,
    );
    expect(plans?.general).toBeGreaterThanOrEqual(READS - 5);
    const plan = await database.rowsOnce(`EXPLAIN EXECUTE ${plans?.text}(1, 500)`);
    expect(JSON.stringify(plan)).toContain('resource_changes_pkey');
    expect(JSON.stringify(plan)).not.toContain('Sort');
  });
});
