import { Database, type Transaction } from '@crate/database';
import { conflict, invariant, PlatformError } from '@crate/errors';
import type { MoveRecord } from './move-record.js';
import { quoted, schemasOf } from './catalog.js';

/** Copying and comparing may take long for a table of millions. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;
const READ = `SELECT id::text, side, step, address, changed_at AS "changedAt" FROM`;
/** Of the server and of the database: one that was copied within its server is another. */
const IDENTITY = `SELECT system_identifier || '/' || oid AS identity FROM pg_control_system(), pg_database WHERE datname = current_database()`;
/** Both sides have to write values as text in the same way. */
const SESSION = `SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true),
  set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true),
  set_config('enable_seqscan', 'on', true), set_config('idle_in_transaction_session_timeout', '0', true)`;

interface Row extends Record<string, unknown> {
  readonly id: string | null;
  readonly side: MoveRecord['side'];
  readonly step: MoveRecord['step'];
  readonly address: string | null;
  readonly changedAt: Date;
}

export interface InstallationOptions {
  /** Of the database that holds the schemas of all services, as somebody who owns them. */
  readonly url: string;
  /** For messages, such as `the singleton`. */
  readonly name: string;
}

/** The whole memory of one installation: the schemas of all its services, in one database. */
export class Installation {
  private constructor(
    readonly name: string,
    private readonly url: string,
    private readonly database: Database,
    /** In order; those of events stand beside those of their services. */
    readonly schemas: readonly string[],
  ) {}

  /** Throws Unavailable when the database does not answer, Conflict (`ReleaseDiffers`) when its release knows no moves. */
  static async open({ url, name }: InstallationOptions): Promise<Installation> {
    const database = new Database({
      url,
      schema: 'public',
      applicationName: 'crate-pivot',
      maxConnections: 2,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    try {
      const schemas = await schemasOf(database);
      if (schemas.length > 0) return new Installation(name, url, database, schemas);
      throw moveRefused(
        'ReleaseDiffers',
        `There is no installation in the database of ${name}, or one of an older release`,
        {
          remedy: 'Start its services of this release once, and try again',
        },
      );
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  /** What is remembered of the last move; undefined when there was none. */
  async record(): Promise<MoveRecord | undefined> {
    const [row] = await this.database.rowsOnce<Row>(`${READ} ${quoted(this.anySchema())}.installation_move`);
    if (!row || row.id === null) return undefined;
    const { address, id, ...rest } = row;
    return { ...rest, id, ...(address === null ? {} : { address }) };
  }

  /** Tells this database from others, and stays the same. */
  async identity(): Promise<string> {
    const [row] = await this.database.rowsOnce<{ identity: string }>(IDENTITY);
    if (row) return row.identity;
    throw invariant('A connection has a database');
  }

  /** One transaction over all schemas, in which values are written as text in one way. */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(async (transaction) => {
      await transaction.rowsOnce(SESSION);
      return work(transaction);
    });
  }

  /** Connections to one schema, for as long as the work takes. */
  async within<T>(schema: string, work: (database: Database) => Promise<T>): Promise<T> {
    const database = new Database({ url: this.url, schema, applicationName: 'crate-pivot', maxConnections: 1 });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  /**
   * In the transaction of what it tells of: the record goes from one of `from` (undefined: no move, or one that is over) to `to`. Holds the
   * record until the commit. Throws Conflict (`MoveChanged`) when it is elsewhere: somebody else goes on with this move, or took it back.
   */
  async advance(
    transaction: Transaction,
    to: Pick<MoveRecord, 'id' | 'side' | 'step' | 'address'>,
    from: string,
  ): Promise<void> {
    for (const schema of this.schemas) {
      const changed = await transaction.rowsOnce(
        `UPDATE ${quoted(schema)}.installation_move SET id = $1, side = $2, step = $3, address = coalesce($4, address), changed_at = now()
         WHERE ${from} RETURNING 1`,
        [to.id, to.side, to.step, to.address ?? null],
      );
      if (changed.length === 1) continue;
      throw moveRefused(
        'MoveChanged',
        `The move was changed in ${this.name} by somebody else; it is not at the step before "${to.step}"`,
        {
          remedy: 'Look at "crate pivot --status", and run the command again',
        },
      );
    }
  }

  private anySchema(): string {
    const [schema] = this.schemas;
    if (schema === undefined) throw invariant('An installation has schemas');
    return schema;
  }
}

/** Condition of `advance`: this very move, at one of these steps. */
export function at(id: string, ...steps: readonly MoveRecord['step'][]): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw conflict('The id of a move is a UUID');
  return `id = '${id}' AND step IN (${steps.map((step) => `'${step}'`).join(', ')})`;
}

/** Condition of `advance`: there is no move under way. */
export const NO_MOVE = `(id IS NULL OR step = 'rolledBack' OR (side = 'target' AND step = 'retired'))`;

/** A refusal with a stable reason. */
export function moveRefused(
  reason: string,
  message: string,
  { remedy, cause }: { readonly remedy: string; readonly cause?: unknown },
): PlatformError {
  return new PlatformError('Conflict', message, { retry: 'never', details: { reason, remedy }, cause });
}
