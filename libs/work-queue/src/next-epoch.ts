import type { SqlRunner } from '@crate/database';
import { invariant } from '@crate/errors';

/**
 * Gives an epoch out as a claim does, for whoever changes what passes change and is none: those that were claimed before are refused after it,
 * and itself by those that are claimed later. It is given out also when the transaction rolls back.
 */
export async function nextEpoch(sql: SqlRunner): Promise<bigint> {
  const row = await sql.firstRow<{ epoch: string }>("SELECT nextval('work_epochs') AS epoch");
  if (!row) throw invariant('A sequence gave no number');
  return BigInt(row.epoch);
}
