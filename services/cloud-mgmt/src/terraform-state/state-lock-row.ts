import type { HeldLock } from './state-locks.js';

/** A row of `terraform_state_locks`. */
export interface LockRow {
  readonly infrastructure_uid: string;
  readonly id: string;
  readonly by_hand: boolean;
  readonly holder: string;
  readonly operation: string;
  readonly info: string;
  readonly epoch: string | bigint | null;
  readonly since: Date;
  readonly seen_at: Date;
}

/** By name: a prepared statement that asks for all columns is refused once a newer release has added one. */
export const LOCK_COLUMNS = 'infrastructure_uid, id, by_hand, holder, operation, info, epoch, since, seen_at';

/** Whoever opens a run or looks at the lock to act by it holds this lock of Postgres meanwhile. */
export function turnOf(infrastructureUid: string): string {
  return `terraform-run ${infrastructureUid}`;
}

export function lockOf(row: LockRow): HeldLock {
  return {
    infrastructureUid: row.infrastructure_uid,
    id: row.id,
    isByHand: row.by_hand,
    holder: row.holder,
    operation: row.operation,
    info: row.info,
    epoch: row.epoch === null ? undefined : BigInt(row.epoch),
    since: row.since,
    seenAt: row.seen_at,
  };
}
