import { conflict } from '@crate/errors';
import type { WorkClaim } from '@crate/reconcile';
import { claimValues, type SqlClient } from './postgres-work-queue.js';
import { IS_CURRENT } from './statements.js';

/**
 * Throws Conflict unless `claim` still holds its key, so that the surrounding transaction rolls back.
 * Call it inside that transaction, after its other writes: it locks the key until the commit, so no other pass can begin before these writes are visible.
 */
export async function assertEpoch(client: SqlClient, claim: WorkClaim): Promise<void> {
  const { rows } = await client.query<{ is_current: boolean }>({ ...IS_CURRENT, values: claimValues(claim) });
  if (rows[0]?.is_current) return;
  throw conflict('A newer pass holds this key', { kind: claim.reconciler, name: claim.key.name });
}
