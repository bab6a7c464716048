import type { SqlRunner, Transaction } from '@crate/database';
import { lockHead } from '@crate/resource-store';

/** More than can have been written after the last note. */
export const REVISION_GAP = 1_000_000;
/**
 * More than the passes that can have begun since, also after an earlier restore: how many that were is noted nowhere, and they were no
 * thousand a second. As in what a person begins (`crate recovery begin`).
 */
const EPOCH_GAP = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Newest revision of the schema that the connection looks into. */
export async function headOf(database: SqlRunner): Promise<number> {
  const row = await database.firstRow<{ revision: string }>('SELECT revision FROM resource_head');
  return Number(row?.revision ?? 0);
}

/**
 * Moves the newest revision beyond everything that was ever given out, and forgets the changes before: a client that saw a later
 * state than there is now is told Gone and reads anew, and no revision ever means two things. Gives false when
 * that has been done already.
 */
export async function setRevisionForward(transaction: Transaction, noted: number): Promise<boolean> {
  await lockHead(transaction);
  const moved = await transaction.execute('UPDATE resource_head SET revision = $1 WHERE revision < $2', [
    noted + REVISION_GAP,
    noted,
  ]);
  if (moved === 0) return false;
  await transaction.execute('SELECT compact_resource_changes(0)');
  return true;
}

/** Nobody who began before the database was set back holds a lease or a fence any more; every key is looked at anew. */
export async function setEpochsForward(transaction: Transaction): Promise<void> {
  const row = await transaction.firstRow<{ epoch: string }>(
    `SELECT setval('work_epochs', nextval('work_epochs') + ${EPOCH_GAP}) AS epoch`,
  );
  await transaction.execute('UPDATE work_items SET lease_until = NULL, due_at = now(), attempts = 0');
  await transaction.execute('UPDATE secret_versions SET epoch = $1 WHERE epoch IS NOT NULL', [row?.epoch]);
}
