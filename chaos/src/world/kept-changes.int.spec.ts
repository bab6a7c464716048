import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPostgres } from '@crate/testing';
import pg from 'pg';
import { KeptChanges } from './kept-changes.js';
import { Records, SCHEMAS } from './records.js';

const MIGRATIONS = new URL('../../../libs/resource-store/migrations/', import.meta.url);

let server: Awaited<ReturnType<typeof startPostgres>>;
let client: pg.Client;
let records: Records;

beforeAll(async () => {
  server = await startPostgres();
  client = new pg.Client({ connectionString: server.url });
  await client.connect();
  records = Records.open(server.url);
  const files = globSync('*/migration.sql', { cwd: MIGRATIONS.pathname }).sort();
  for (const schema of SCHEMAS) {
    await client.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}`);
    for (const file of files) await client.query(readFileSync(new URL(file, MIGRATIONS), 'utf8'));
  }
});
afterAll(async () => {
  await records?.close();
  await client?.end();
  await server?.stop();
});

/** As a service does: the change and the head at once. */
async function write(revision: number, type: 'ADDED' | 'DELETED', uid: string): Promise<void> {
  await client.query(`INSERT INTO resource_changes (revision, type, api_group, kind, namespace, name, uid, writer, object)
    VALUES (${revision}, '${type}', 'g', 'Cluster', '', '${uid}', '${uid}', 'w', '{}'); UPDATE resource_head SET revision = ${revision}`);
}

it('changes are kept also when the newest of all was a deletion that the platform has forgotten', async () => {
  const kept = await KeptChanges.fromNow(records);
  try {
    await client.query('SET search_path = lifecycle');
    await write(1, 'ADDED', 'stays');
    await write(2, 'ADDED', 'goes');
    await write(3, 'DELETED', 'goes');
    await kept.read();
    await client.query('SELECT forget_resource_changes(3)');
    await kept.read();
    const { changes, since, gaps } = await kept.read();
    expect(changes['Cluster']?.map(({ revision, type }) => `${revision} ${type}`)).toEqual([
      '1 ADDED',
      '2 ADDED',
      '3 DELETED',
    ]);
    expect([since['Cluster'], gaps['Cluster']]).toEqual([0, []]);
  } finally {
    await kept.stop();
  }
});
