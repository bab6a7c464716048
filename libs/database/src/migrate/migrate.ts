import { invariant, PlatformError } from '@crate/errors';
import pg from 'pg';
import type { ClientBase } from 'pg';
import { fromPostgresError, sqlStateOf } from '../postgres-errors.js';
import { checkedSchemaName } from '../schema-name.js';
import { applyMigration, LOCK_NOT_AVAILABLE, type MigrationTarget } from './apply-migration.js';
import { readMigrations, type MigrationFile } from './migration-file.js';
import { MigrationJournal } from './migration-journal.js';

export interface MigrateOptions {
  /** `postgresql://user:password@host:port/database`, of a role that may change the schema. */
  readonly url: string;
  /** Created when missing (the role then needs CREATE on the database). SQL files use unqualified names; the `search_path` is this schema. */
  readonly schema: string;
  /** Folders of `<timestamp>_<name>/migration.sql`, applied in this order. */
  readonly directories: readonly string[];
  /** How long to wait while another replica migrates, and again for locks that files need; then Unavailable. Default 300,000. */
  readonly lockTimeoutMs?: number;
  /** Told each time that a migration was undone because it did not get a lock, and why; it is tried again. */
  readonly onLocked?: (migration: string, why: string) => void;
}

/** Prisma's own advisory lock: its tools and this runner exclude each other. */
const PRISMA_LOCK = 72707369;

/**
 * Brings a schema up to date and gives the names of the migrations it applied. Safe to run from any number of replicas at
 * once: one applies, the others wait and find nothing to do.
 *
 * Each file runs in one transaction together with its record, so a file never counts as applied in part; a file that fails
 * is recorded, and tried again on the next call. A file that does not get a lock within seconds gives way and is tried again. Files therefore must not contain BEGIN, COMMIT or CREATE INDEX CONCURRENTLY.
 * Throws Invariant when an applied file was changed since, or when a statement fails; Unavailable as queries do.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const files = await readMigrations(options.directories);
  const schema = checkedSchemaName(options.schema);
  const client = new pg.Client({
    connectionString: options.url,
    options: `-c search_path=${schema}`,
    application_name: `${schema}-migrations`,
  });
  client.on('error', () => undefined); // The statement that needs the connection reports its loss.
  try {
    await client.connect();
    const patienceMs = options.lockTimeoutMs ?? 300_000;
    await lock(client, patienceMs);
    await ensureSchema(client, schema);
    const journal = new MigrationJournal(client);
    const deadline = performance.now() + patienceMs;
    return await applyMissing({ client, journal, deadline, onLocked: options.onLocked }, files);
  } catch (error) {
    throw fromPostgresError(error);
  } finally {
    // Closing the session gives the lock back, whatever state it is in.
    await client.end();
  }
}

async function lock(client: ClientBase, timeoutMs: number): Promise<void> {
  await client.query(`SET lock_timeout = ${Math.ceil(timeoutMs)}`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK]);
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new PlatformError('Unavailable', 'Another process has been migrating this database for too long', {
      cause: error,
    });
  }
}

async function applyMissing(target: MigrationTarget, files: readonly MigrationFile[]): Promise<readonly string[]> {
  const { journal } = target;
  await journal.ensureTable();
  const applied = await journal.applied();
  const changed = files.find((file) => applied.has(file.name) && applied.get(file.name) !== file.checksum);
  if (changed) throw invariant(`Migration ${changed.name} was changed after it was applied: restore it, add a new one`);

  // Applied migrations without a file are those of a newer release whose replicas run beside us: no concern of ours.
  const missing = files.filter((file) => !applied.has(file.name));
  for (const file of missing) await applyMigration(target, file);
  return missing.map((file) => file.name);
}

/** Asks first: a role that owns its schema need not be allowed to create others. */
async function ensureSchema(client: ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
}
