import type { Database } from '@crate/database';
import type { Metrics } from '@crate/telemetry';
import { sharedSource } from './shared-source.js';

/** A look that takes longer than this would itself be a load. */
const LOOK_MS = 1_500;

const LOOK = `SELECT
    pg_database_size(current_database())::float8 AS bytes,
    coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)) FILTER (WHERE pid <> pg_backend_pid()), 0)::float8 AS oldest_s,
    count(*) FILTER (WHERE state = 'active')::int AS active,
    count(*) FILTER (WHERE state = 'idle')::int AS idle,
    count(*) FILTER (WHERE state LIKE 'idle in transaction%')::int AS in_transaction,
    count(*) FILTER (WHERE state IS NULL OR state NOT IN ('active', 'idle') AND state NOT LIKE 'idle in transaction%')::int AS other,
    current_setting('max_connections')::int AS most
  FROM pg_stat_activity WHERE backend_type = 'client backend'`;

interface ServerRow {
  readonly [column: string]: number;
  readonly bytes: number;
  readonly oldest_s: number;
  readonly active: number;
  readonly idle: number;
  readonly in_transaction: number;
  readonly other: number;
  readonly most: number;
}

/** Tells how this process stands to its database, and how the database is. Of the latter every service on it tells the same. */
export function observeDatabase(metrics: Metrics, database: Database): void {
  observePool(metrics, database);
  const look = sharedSource(() => lookAt(database));
  metrics.gauge({
    name: 'crate_postgres_database_size_bytes',
    help: 'Size of the database on disk, with what belongs to other services in it.',
    collect: async (gauge) => gauge.set((await look()).bytes),
  });
  metrics.gauge({
    name: 'crate_postgres_longest_transaction_seconds',
    help: 'Age of the oldest transaction on the server that the user of the service may see.',
    collect: async (gauge) => gauge.set((await look()).oldest_s),
  });
  metrics.gauge({
    name: 'crate_postgres_connections',
    help: 'Connections to the server, of all databases, by state: active, idle, idle_in_transaction, other (those of users one may not see).',
    labels: ['state'],
    collect: async (gauge) => {
      const { active, idle, in_transaction, other } = await look();
      const states = { active, idle, idle_in_transaction: in_transaction, other };
      for (const [state, count] of Object.entries(states)) gauge.set(count, { state });
    },
  });
  metrics.gauge({
    name: 'crate_postgres_max_connections',
    help: 'Connections that the server takes, of all databases and users together.',
    collect: async (gauge) => gauge.set((await look()).most),
  });
}

function observePool(metrics: Metrics, { pool }: Database): void {
  metrics.gauge({
    name: 'crate_postgres_pool_connections',
    help: 'Connections of this process by state: in_use or idle.',
    labels: ['state'],
    collect: (gauge) => {
      gauge.set(pool.totalCount - pool.idleCount, { state: 'in_use' });
      gauge.set(pool.idleCount, { state: 'idle' });
    },
  });
  metrics.gauge({
    name: 'crate_postgres_pool_limit',
    help: 'Connections that this process may open.',
    collect: (gauge) => gauge.set(pool.options.max),
  });
  metrics.gauge({
    name: 'crate_postgres_pool_waiting',
    help: 'Statements and transactions of this process that wait for a connection.',
    collect: (gauge) => gauge.set(pool.waitingCount),
  });
}

/** One look at the server and all connections to it; gives up after 1.5 s. */
export async function lookAt(database: Database): Promise<ServerRow> {
  return database.transaction(async (transaction) => {
    await transaction.execute(`SET LOCAL statement_timeout = ${LOOK_MS}`);
    const [row] = await transaction.rows<ServerRow>(LOOK);
    return row as ServerRow;
  });
}
