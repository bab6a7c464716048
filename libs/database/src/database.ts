import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { fromPostgresError } from './postgres-errors.js';
import { checkedSchemaName } from './schema-name.js';
import { Semaphore } from './semaphore.js';
import { SqlRunner } from './sql-runner.js';
import { TellingPool } from './telling-pool.js';
import { runTransaction, type Transaction, type TransactionOptions } from './transaction.js';

export interface DatabaseOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  /** The service's schema, the only one on the `search_path`. */
  readonly schema: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Default 10. */
  readonly maxConnections?: number;
  /** A statement that runs longer is cancelled: Timeout. One without an answer five seconds later is Unavailable. Default 30,000. */
  readonly statementTimeoutMs?: number;
}

/** Waiting longer for a connection is Unavailable. */
const CONNECT_MS = 10_000;

/** The server cancels a statement that takes too long, and says so; one that has said nothing this much later is not there any more. */
const SILENCE_MS = 5_000;

/** A connection that nobody uses is found to lead nowhere within seconds of this, and not only by the next who needs it. */
const KEEP_ALIVE_MS = 10_000;

/** Longer than any pause between two statements of ours: a replica that froze in a transaction must not hold its locks. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/** By it the server tells a turn whose work goes on over other connections from that of a replica that froze, which it ends. */
const SIGN_OF_LIFE_MS = 3_000;

/**
 * Every statement of ours finds its rows by an index. A plan that was made while a table was small would go on reading all of it until the
 * server happens to analyze the table again, a minute after it has grown. ADR 0174
 */
const BY_INDEX = '-c enable_seqscan=off';

/**
 * That setting makes a table of one row, which has no index to go by, look dearer than any limit: a server that can compile plans would
 * compile each of them, for a hundred times what it takes to run it. ADR 0174
 */
const NOT_COMPILED = '-c jit=off';

/**
 * Work comes in bursts. A connection that went after the ten seconds that are usual would be opened anew in each: a process, a handshake and
 * every plan, for more processor time than what is asked of it. Not for long: to a server that vanished they are of no use, and nobody is told.
 */
const IDLE_MS = 60_000;

/** The connections of one process to its service's schema. */
export class Database extends SqlRunner {
  /** For adapters that bring their own statements, such as Prisma. */
  readonly pool: Pool;
  readonly schema: string;
  private readonly turns: Semaphore;
  private ended: Promise<void> | undefined;

  constructor(options: DatabaseOptions) {
    super();
    const { statementTimeoutMs = 30_000, maxConnections = 10 } = options;
    this.turns = new Semaphore(turnsAtOnce(maxConnections));
    this.schema = checkedSchemaName(options.schema);
    this.pool = new TellingPool({
      connectionString: options.url,
      options: `-c search_path=${this.schema} ${BY_INDEX} ${NOT_COMPILED}`,
      application_name: options.applicationName ?? this.schema,
      max: maxConnections,
      idleTimeoutMillis: IDLE_MS,
      // Nothing is kept running by connections that nobody uses.
      allowExitOnIdle: true,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + SILENCE_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    // A broken connection is reported by the query that needs it; without listeners it would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Runs `work` in a transaction: commits when it resolves, rolls back and rethrows when it rejects.
   * Conflict means that the whole of it may be tried again. Unavailable leaves open whether it was committed.
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return runTransaction(await this.connect(), work, options);
  }

  /**
   * As `transaction`, one at a time among all processes that name the same turn. `work` may use further connections of this one, but take no
   * other turn. Those that would leave too few connections for the work of others wait before they take one. A process that stands still for
   * long loses its turn and learns of it only when the work is over: what it does elsewhere needs a fence of its own.
   */
  async inTurn<T>(turn: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const inside = async (transaction: Transaction): Promise<T> => {
      await transaction.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [turn]);
      return whileAlive(transaction, () => work(transaction));
    };
    return this.turns.run(() => this.transaction(inside));
  }

  /** Waits for running queries and closes all connections; idempotent. */
  async close(): Promise<void> {
    this.ended ??= this.pool.end();
    await this.ended;
  }

  protected send<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>> {
    return this.pool.query<R>(query);
  }

  private async connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw fromPostgresError(error);
    }
  }
}

async function whileAlive<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  let isOut = false;
  const sign = async (): Promise<void> => {
    // One that waits behind a slow statement of the turn's own is enough: a connection takes no queue of them.
    if (isOut) return;
    isOut = true;
    await transaction.rows('SELECT 1').catch(() => undefined);
    isOut = false;
  };
  const timer = setInterval(() => void sign(), SIGN_OF_LIFE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Each holds a connection while its work waits for another one: were all held so, none would get on. */
function turnsAtOnce(maxConnections: number): number {
  return Math.max(1, Math.floor(maxConnections / 2) - 1);
}
