import { Database, migrate } from '@crate/database';
import type { PostgresServer } from '@crate/testing';
import { WORK_QUEUE_MIGRATIONS } from './migrations.js';

/** For tests: a fresh database with this library's tables in a schema of a service. The caller closes it. */
export async function createTestDatabase(server: PostgresServer): Promise<Database> {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cloud_mgmt', directories: [WORK_QUEUE_MIGRATIONS] });
  return new Database({ url, schema: 'cloud_mgmt', maxConnections: 20 });
}

/** A number that moves with every write of anything: the next transaction id, which reads do not take. */
export async function writeCount(database: Database): Promise<string> {
  const row = await database.firstRow<{ xmax: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xmax');
  return row?.xmax ?? '';
}
