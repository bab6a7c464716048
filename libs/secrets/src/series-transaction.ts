import type { Pool, PoolClient } from 'pg';
import type { SecretSeries } from './secret-row.js';

/** One writer of a series at a time: the fence, the serial and the head are read before they are written. */
export async function inSeries<T>(
  pool: Pool,
  series: SecretSeries,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      JSON.stringify(['secret', series.ownerUid, series.kind]),
    ]);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}
