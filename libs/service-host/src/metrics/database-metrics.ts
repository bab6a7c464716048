import type { Database } from '@crate/database';
import type { Metrics } from '@crate/telemetry';
import type { ServerWatch } from './server-watch.js';

/** Tells how this process stands to its database, and how the database is. Of the latter every service on it tells the same. */
export function observeDatabase(metrics: Metrics, database: Database, { look }: Pick<ServerWatch, 'look'>): void {
  observePool(metrics, database);
  metrics.gauge({
    name: 'crate_postgres_database_size_bytes',
    help: 'Size of the database on disk, with what belongs to other services in it.',
    collect: async (gauge) => gauge.set((await look()).bytes),
  });
  metrics.gauge({
    name: 'crate_postgres_longest_transaction_seconds',
    help: 'Age of the oldest transaction on the server; one of another user is as old as this process has seen it open.',
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
