import type { Database, Transaction } from '@crate/database';
import type { SecretSeries } from './secret-row.js';

/** One writer of a series at a time: the fence, the serial and the head are read before they are written. */
export async function inSeries<T>(
  database: Database,
  { ownerUid, kind }: SecretSeries,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    const turn = JSON.stringify(['secret', ownerUid, kind]);
    await transaction.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [turn]);
    return work(transaction);
  });
}
