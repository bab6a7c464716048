import { Database, migrate } from '@crate/database';
import { SECRETS_MIGRATIONS } from '@crate/secrets';
import type { PostgresServer } from '@crate/testing';
import { POLICY_MGMT_MIGRATIONS } from '../migrations.js';

/** A database of its own with this service's tables, and those of secrets. */
export async function aDatabase(server: PostgresServer): Promise<Database> {
  const { url } = await server.createDatabase(withTables);
  return new Database({ url, schema: 'policy_mgmt', maxConnections: 3 });
}

function withTables(url: string): Promise<unknown> {
  return migrate({ url, schema: 'policy_mgmt', directories: [SECRETS_MIGRATIONS, ...POLICY_MGMT_MIGRATIONS] });
}
