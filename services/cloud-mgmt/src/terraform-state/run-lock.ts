import { conflict } from '@crate/errors';
import type { Prisma } from '../generated/client.js';
import type { NewTerraformRun } from '../terraform-run/terraform-run.repository.js';
import { lockOf, type LockRow } from './state-lock-row.js';
import { stateLocked } from './state-locks.js';

/**
 * Takes the lock for a run, in the transaction that opens it and has its turn. An older run loses it: whoever opens a newer one has
 * proven it dead. Gives the time it is held since, by the clock of the database. Throws Conflict (`StateLocked`) while a person holds it.
 */
export async function lockForRun(
  transaction: Prisma.TransactionClient,
  { infrastructureUid, id, kind, epoch, holder }: NewTerraformRun & { readonly holder: string },
): Promise<Date> {
  const [taken] = await transaction.$queryRaw<Pick<LockRow, 'since'>[]>`
    INSERT INTO terraform_state_locks (infrastructure_uid, id, by_hand, holder, operation, epoch)
    VALUES (${infrastructureUid}, ${id}, false, ${holder}, ${kind}, ${epoch})
    ON CONFLICT (infrastructure_uid) DO UPDATE
    SET id = excluded.id, holder = excluded.holder, operation = excluded.operation, epoch = excluded.epoch, since = now()
    WHERE NOT terraform_state_locks.by_hand
    RETURNING since`;
  if (taken) return taken.since;
  const [row] = await transaction.$queryRaw<LockRow[]>`
    SELECT * FROM terraform_state_locks WHERE infrastructure_uid = ${infrastructureUid}`;
  throw row ? stateLocked(lockOf(row)) : conflict('The lock on the state was given back this moment');
}
