import type { Database } from '@crate/database';
import { sharedSource } from './shared-source.js';

/** A look that takes longer than this would itself be a load. */
const LOOK_MS = 1_500;
/** Often enough to know of a transaction of minutes since when it is open, though nobody asks. */
const WATCH_MS = 60_000;

/**
 * Of a session of another user one sees that it is there, and neither its state nor what it is. Clients have a user and a database, which the
 * server's own processes lack, but not what works for a user: parallel workers and logical replication of others count as clients, though they
 * take no connection. That a transaction is open is no secret: each holds the lock of its own id.
 * Source: `pg_stat_get_activity` and `VirtualXactLockTableInsert` of PostgreSQL.
 */
const LOOK = `WITH client AS MATERIALIZED (
    SELECT * FROM pg_stat_activity WHERE usesysid IS NOT NULL AND datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
  ) SELECT
    pg_database_size(current_database())::float8 AS bytes,
    coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)) FILTER (WHERE pid <> pg_backend_pid()), 0)::float8 AS oldest_s,
    ARRAY(SELECT pid || ':' || virtualtransaction FROM client JOIN pg_locks USING (pid)
      WHERE backend_type IS NULL AND locktype = 'virtualxid' AND mode = 'ExclusiveLock') AS undated,
    count(*) FILTER (WHERE state = 'active')::int AS active,
    count(*) FILTER (WHERE state = 'idle')::int AS idle,
    count(*) FILTER (WHERE state LIKE 'idle in transaction%')::int AS in_transaction,
    count(*) FILTER (WHERE state IS NULL OR state NOT IN ('active', 'idle') AND state NOT LIKE 'idle in transaction%')::int AS other,
    current_setting('max_connections')::int AS most
  FROM client`;

/** What one look at a database server saw, over all databases and users of it. */
export interface ServerLook {
  readonly bytes: number;
  readonly oldest_s: number;
  readonly active: number;
  readonly idle: number;
  readonly in_transaction: number;
  readonly other: number;
  readonly most: number;
}

interface ServerRow extends ServerLook {
  readonly [column: string]: unknown;
  /** Open transactions of others, of which PostgreSQL does not say how old they are. */
  readonly undated: readonly string[];
}

/** Looks at a database server with no other right than to connect, and remembers since when transactions of others are open. */
export class ServerWatch {
  private since: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly database: Pick<Database, 'transaction'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** One look for all who ask at once; gives up after 1.5 s. A transaction of another user is as old as this has seen it open. */
  readonly look = sharedSource(
    () => this.lookNow(),
    () => this.now(),
  );

  /** Looks from time to time, until the returned function is called. */
  start(): () => void {
    // Whoever scrapes is told that it fails.
    const timer = setInterval(() => void this.look().catch(() => undefined), WATCH_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  private async lookNow(): Promise<ServerLook> {
    const { undated, ...row } = await this.database.transaction(async (transaction) => {
      await transaction.execute(`SET LOCAL statement_timeout = ${LOOK_MS}`);
      const [found] = await transaction.rows<ServerRow>(LOOK);
      return found as ServerRow;
    });
    return { ...row, oldest_s: Math.max(row.oldest_s, this.ageOf(undated)) };
  }

  /** Seconds since the first of them was seen. */
  private ageOf(undated: readonly string[]): number {
    const now = this.now();
    this.since = new Map(undated.map((id) => [id, this.since.get(id) ?? now]));
    return (now - Math.min(now, ...this.since.values())) / 1_000;
  }
}
