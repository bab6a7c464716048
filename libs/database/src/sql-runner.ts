import { createHash } from 'node:crypto';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { fromPostgresError } from './postgres-errors.js';

type Values = readonly unknown[];

const statementNames = new Map<string, string>();

/**
 * Runs SQL on a pool or inside a transaction. All methods throw a PlatformError, see `fromPostgresError`.
 * Texts must be constants, because each is prepared once per connection and kept; `rowsOnce` is for texts built at run time.
 */
export abstract class SqlRunner {
  /** Sends one statement; rejects with whatever the driver rejects with. */
  protected abstract send<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>>;

  /** All rows of a prepared statement. */
  async rows<R extends QueryResultRow>(text: string, values: Values = []): Promise<readonly R[]> {
    return (await this.run<R>(prepared(text, values))).rows;
  }

  /** The first row of a prepared statement, undefined when there is none. */
  async firstRow<R extends QueryResultRow>(text: string, values: Values = []): Promise<R | undefined> {
    return (await this.run<R>(prepared(text, values))).rows[0];
  }

  /** Runs a prepared statement and gives the number of rows it touched. */
  async execute(text: string, values: Values = []): Promise<number> {
    return (await this.run(prepared(text, values))).rowCount ?? 0;
  }

  /** All rows of a statement that is parsed for this call only. */
  async rowsOnce<R extends QueryResultRow>(text: string, values: Values = []): Promise<readonly R[]> {
    return (await this.run<R>({ text, values: [...values] })).rows;
  }

  private async run<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>> {
    try {
      return await this.send<R>(query);
    } catch (error) {
      throw fromPostgresError(error);
    }
  }
}

function prepared(text: string, values: Values): QueryConfig {
  return { name: nameOf(text), text, values: [...values] };
}

/** Postgres keeps prepared statements by name and per connection; the same text must always get the same name. */
function nameOf(text: string): string {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  const name = `s_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  statementNames.set(text, name);
  return name;
}
