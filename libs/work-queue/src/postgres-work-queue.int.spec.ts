import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from '@jest/globals';
import { workQueueContract } from '@crate/reconcile';
import { startPostgres, type PostgresServer } from '@crate/testing';
import type pg from 'pg';
import { createWorkQueuePool } from './database.spec-support.js';
import { PostgresWorkQueue } from './index.js';

let server: PostgresServer;
let pool: pg.Pool;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());
beforeEach(async () => {
  pool = await createWorkQueuePool(server);
});
afterEach(() => pool.end());

describe('PostgresWorkQueue', () => {
  /** Moving every stored time into the past is the same as letting time pass, without waiting for it. */
  const advance = async (ms: number): Promise<void> => {
    await pool.query(
      `UPDATE work_items SET due_at = due_at - $1 * interval '1 ms', lease_until = lease_until - $1 * interval '1 ms'`,
      [ms],
    );
  };

  it.each(workQueueContract)('$name', async ({ run }) => {
    await run({ queue: new PostgresWorkQueue(pool), advance });
  });
});
