import type { SqlRunner } from '@crate/database';
import { conflict } from '@crate/errors';
import type { WorkClaim } from '@crate/reconcile';
import { claimValues } from './postgres-work-queue.js';
import { IS_CURRENT } from './statements.js';

/**
 * Throws Conflict unless `claim` still holds its key, so that the surrounding transaction rolls back.
 * Call it inside that transaction, after its other writes: it locks the key until the commit, so no other pass can
 * begin before these writes are visible.
 */
export async function assertEpoch(transaction: SqlRunner, claim: WorkClaim): Promise<void> {
  const row = await transaction.firstRow<{ is_current: boolean }>(IS_CURRENT, claimValues(claim));
  if (row?.is_current) return;
  throw conflict('Another pass holds this key', { kind: claim.reconciler, name: claim.key.name });
}
