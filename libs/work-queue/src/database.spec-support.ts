import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresServer } from '@crate/testing';
import pg from 'pg';
import { WORK_QUEUE_MIGRATIONS } from './migrations.js';

/** A pool on a fresh database that has this library's tables. The caller ends it. */
export async function createWorkQueuePool(server: PostgresServer, max = 10): Promise<pg.Pool> {
  const { url } = await server.createDatabase();
  const pool = new pg.Pool({ connectionString: url, max });
  for (const directory of (await readdir(WORK_QUEUE_MIGRATIONS)).sort()) {
    await pool.query(await readFile(join(WORK_QUEUE_MIGRATIONS, directory, 'migration.sql'), 'utf8'));
  }
  return pool;
}
