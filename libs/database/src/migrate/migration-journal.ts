import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { MigrationFile } from './migration-file.js';

/** As Prisma 7's schema engine creates it, so that Prisma's tools read and continue what we write. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id                  VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum            VARCHAR(64) NOT NULL,
  finished_at         TIMESTAMPTZ,
  migration_name      VARCHAR(255) NOT NULL,
  logs                TEXT,
  rolled_back_at      TIMESTAMPTZ,
  started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

const FINISHED = `SELECT migration_name, checksum FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;

const RECORD_SUCCESS = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, clock_timestamp(), 1)`;

const FORGET_FAILURES = `DELETE FROM _prisma_migrations WHERE migration_name = $1 AND rolled_back_at IS NOT NULL`;

const RECORD_FAILURE = `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, rolled_back_at)
  VALUES ($1, $2, $3, $4, clock_timestamp())`;

/** The table `_prisma_migrations` of one schema: which migrations were applied, and which failed. */
export class MigrationJournal {
  constructor(private readonly client: ClientBase) {}

  async ensureTable(): Promise<void> {
    await this.client.query(CREATE_TABLE);
  }

  /** Checksums of the applied migrations by name. */
  async applied(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.client.query<{ migration_name: string; checksum: string }>(FINISHED);
    return new Map(rows.map((row) => [row.migration_name, row.checksum]));
  }

  /** Runs inside the migration's own transaction: applied and recorded are one. */
  async recordSuccess(file: MigrationFile): Promise<void> {
    await this.client.query(RECORD_SUCCESS, [randomUUID(), file.checksum, file.name]);
  }

  /** After the rollback, so that operators see why it failed. Only the last failure is kept: a service may retry for days. */
  async recordFailure(file: MigrationFile, reason: string): Promise<void> {
    await this.client.query(FORGET_FAILURES, [file.name]);
    await this.client.query(RECORD_FAILURE, [randomUUID(), file.checksum, file.name, reason]);
  }
}
