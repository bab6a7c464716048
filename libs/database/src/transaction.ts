import { invariant, isPlatformError } from '@crate/errors';
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { fromPostgresError, NOT_SUPPORTED, READ_ONLY, sqlStateOf } from './postgres-errors.js';
import { SqlRunner } from './sql-runner.js';

export interface TransactionOptions {
  /** Statements that write are refused. Default false. */
  readonly readOnly?: boolean;
}

/** One open transaction. Statements run one after another on its connection. */
export class Transaction extends SqlRunner {
  constructor(
    /** For adapters that bring their own statements; never begin, commit or roll back on it. */
    readonly client: PoolClient,
  ) {
    super();
  }

  protected send<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>> {
    return this.client.query<R>(query);
  }
}

/** Of a connection that would answer the same again: a new one leads to a server that takes writes, and prepares its statements anew. */
const OF_THE_CONNECTION: readonly (string | undefined)[] = [READ_ONLY, NOT_SUPPORTED];

/** Runs `work` between BEGIN and COMMIT and gives the connection back; one that does not roll back, or is to blame itself, is dropped. */
export async function runTransaction<T>(
  client: PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  try {
    await control(client, `BEGIN ISOLATION LEVEL READ COMMITTED${options.readOnly ? ' READ ONLY' : ''}`);
    const result = await work(new Transaction(client));
    // A transaction with a failed statement answers COMMIT by rolling back, without an error.
    if ((await control(client, 'COMMIT')) !== 'COMMIT')
      throw invariant('A transaction went on after a failed statement');
    client.release();
    return result;
  } catch (error) {
    if (isUnanswered(error)) client.release(true);
    else await rollBackAndRelease(client, OF_THE_CONNECTION.includes(sqlStateOf(error)));
    throw error;
  }
}

async function control(client: PoolClient, text: string): Promise<string> {
  try {
    return (await client.query(text)).command;
  } catch (error) {
    throw fromPostgresError(error);
  }
}

/**
 * Whoever does not answer would be waited for as long again to roll back, which closing the connection does as well. What the work itself
 * could not do, such as for a missing key, has a reason.
 */
function isUnanswered(error: unknown): boolean {
  const isOfServer = isPlatformError(error) && error.details.reason === undefined;
  return isOfServer && error.code === 'Unavailable' && sqlStateOf(error) === undefined;
}

async function rollBackAndRelease(client: PoolClient, isDropped: boolean): Promise<void> {
  try {
    await client.query('ROLLBACK');
    client.release(isDropped);
  } catch {
    client.release(true); // The first error is the one to tell; this connection is of no more use.
  }
}
