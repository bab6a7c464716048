import type { DatabaseReport } from '@crate/api';
import type { Database } from '@crate/database';
import type { ServerWatch } from '../metrics/server-watch.js';

const SERVER = `SELECT current_database() AS name, pg_postmaster_start_time() AS started_at,
    current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby,
    (SELECT count(*)::int FROM pg_stat_replication) AS standbys`;

const MIGRATIONS = `SELECT count(*)::int AS applied, coalesce(max(migration_name), '') AS latest
  FROM _prisma_migrations WHERE finished_at IS NOT NULL`;

interface ServerRow {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly started_at: Date;
  readonly version: string;
  readonly is_standby: boolean;
  readonly standbys: number;
}

/** How the database server is, and which migrations the service's own tables have. */
export async function databaseReport(database: Database, watch: Pick<ServerWatch, 'look'>): Promise<DatabaseReport> {
  const [server, migrations, look] = [
    await database.firstRow<ServerRow>(SERVER),
    await database.firstRow<{ applied: number; latest: string }>(MIGRATIONS),
    await watch.look(),
  ];
  if (!server || !migrations) throw new Error('The database answered with nothing');
  return {
    name: server.name,
    serverStartedAt: server.started_at.toISOString(),
    version: server.version,
    role: server.is_standby ? 'standby' : 'primary',
    standbys: server.standbys,
    sizeBytes: look.bytes,
    connections: { used: look.active + look.idle + look.in_transaction + look.other, most: look.most },
    oldestTransactionSeconds: Math.max(0, Math.round(look.oldest_s)),
    migrations: { applied: migrations.applied, latest: migrations.latest },
  };
}
