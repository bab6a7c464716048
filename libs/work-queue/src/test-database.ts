import { Database, migrate } from '@crate/database';
import type { PostgresServer } from '@crate/testing';
import { WORK_QUEUE_MIGRATIONS } from './migrations.js';

/** For tests: a fresh database with this library's tables in a schema of a service. The caller closes it. */
export async function createTestDatabase(server: PostgresServer): Promise<Database> {
  const { url } = await server.createDatabase(withTables);
  return new Database({ url, schema: 'cloud_mgmt', maxConnections: 20 });
}

function withTables(url: string): Promise<unknown> {
  return migrate({ url, schema: 'cloud_mgmt', directories: [WORK_QUEUE_MIGRATIONS] });
}

/** A text that moves with every write or row lock in the queue's table and with every epoch, but not with a read. */
export async function writeFingerprint(database: Database): Promise<string> {
  const row = await database.firstRow<{ fingerprint: string }>(
    `SELECT concat((SELECT last_value FROM work_epochs), ' ',
       (SELECT md5(string_agg(concat_ws(' ', name, ctid, xmin, xmax), ';' ORDER BY reconciler, name)) FROM work_items)) AS fingerprint`,
  );
  return row?.fingerprint ?? '';
}
