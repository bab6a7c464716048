import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@crate/errors';
import type { ClientBase } from 'pg';
import { fromPostgresError, sqlStateOf } from '../postgres-errors.js';
import type { MigrationFile } from './migration-file.js';
import type { MigrationJournal } from './migration-journal.js';

/** SQLSTATE of a statement that waited for a lock as long as `lock_timeout` allows. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** Postgres finds a deadlock before that time is over: both tell of somebody else who is at what the file changes. */
const CONTENDED: Readonly<Record<string, string>> = {
  [LOCK_NOT_AVAILABLE]: 'a transaction has been open for too long, such as a backup',
  '40P01': 'another transaction locks what it changes in another order',
};

// Whoever comes to a table after an ALTER TABLE that waits, waits behind it. Much shorter than a lease of the work queue lasts.
const LOCK_WAIT = '2s';
const SHORTEST_PAUSE_MS = 2_000;
const PAUSE_SPREAD_MS = 2_000;

export interface MigrationTarget {
  readonly client: ClientBase;
  readonly journal: MigrationJournal;
  /** By `performance.now()`: when to stop waiting for locks. */
  readonly deadline: number;
  readonly onLocked?: ((migration: string, why: string) => void) | undefined;
}

/**
 * Applies one file together with its record. While a long transaction, such as a backup, holds what the file changes, it gives way to
 * the queries behind it and tries again, as it does after a deadlock; Unavailable once the deadline has passed. Any other failure is recorded.
 */
export async function applyMigration(target: MigrationTarget, file: MigrationFile): Promise<void> {
  for (;;) {
    const locked = await applyOnce(target, file);
    if (locked === undefined) return;
    target.onLocked?.(file.name, locked);
    await delay(SHORTEST_PAUSE_MS + Math.random() * PAUSE_SPREAD_MS);
  }
}

/** Gives why, when it was undone because it did not get its locks. */
async function applyOnce(
  { client, journal, deadline }: MigrationTarget,
  file: MigrationFile,
): Promise<string | undefined> {
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
    await client.query(file.sql);
    await journal.recordSuccess(file);
    await client.query('COMMIT');
    return undefined;
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === undefined) throw error; // Without a connection there is nothing to roll back or record.
    await client.query('ROLLBACK');
    const locked = CONTENDED[state];
    if (locked !== undefined) {
      if (performance.now() < deadline) return locked;
      throw new PlatformError('Unavailable', `Migration ${file.name} gets no lock: ${locked}`, { cause: error });
    }
    const reason = error instanceof Error ? error.message : String(error);
    await journal.recordFailure(file, reason);
    const message = `Migration ${file.name} failed: ${reason}`;
    throw new PlatformError(fromPostgresError(error).code, message, { cause: error });
  }
}
