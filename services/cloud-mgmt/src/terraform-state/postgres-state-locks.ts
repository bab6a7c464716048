import type { Database, SqlRunner } from '@crate/database';
import { nextEpoch } from '@crate/work-queue';
import { LOCK_COLUMNS, lockOf, turnOf, type LockRow } from './state-lock-row.js';
import { requireQuiet, stateLocked, StateLocks, type HeldLock, type LockByHand, type Quiet } from './state-locks.js';

/** Locks of Terraform states in the table `terraform_state_locks`. */
export class PostgresStateLocks extends StateLocks {
  constructor(private readonly database: Database) {
    super();
  }

  async find(infrastructureUid: string): Promise<HeldLock | undefined> {
    return findLock(this.database, infrastructureUid);
  }

  async list(limit: number): Promise<readonly HeldLock[]> {
    const rows = await this.database.rows<LockRow & Record<string, unknown>>(
      `SELECT ${LOCK_COLUMNS} FROM terraform_state_locks ORDER BY since, infrastructure_uid LIMIT $1`,
      [limit],
    );
    return rows.map(lockOf);
  }

  async acquire(lock: LockByHand): Promise<void> {
    const { infrastructureUid, id, holder, operation, info } = lock;
    await this.database.inTurn(turnOf(infrastructureUid), async (transaction) => {
      const held = await findLock(transaction, infrastructureUid);
      if (held && (!held.isByHand || held.id !== id)) throw stateLocked(held);
      if (held) return seen(transaction, infrastructureUid);
      await transaction.execute(
        `INSERT INTO terraform_state_locks (infrastructure_uid, id, by_hand, holder, operation, info)
         VALUES ($1, $2, true, $3, $4, $5)`,
        [infrastructureUid, id, holder, operation, info],
      );
    });
  }

  async release(infrastructureUid: string, id?: string): Promise<boolean> {
    const gone = await this.database.execute(
      `DELETE FROM terraform_state_locks
       WHERE infrastructure_uid = $1 AND by_hand AND ($2::text IS NULL OR id = $2)`,
      [infrastructureUid, id ?? null],
    );
    return gone > 0;
  }

  async countSilent(silentMs: number): Promise<number> {
    const row = await this.database.firstRow<{ count: number }>(
      `SELECT count(*)::int AS count FROM terraform_state_locks WHERE by_hand AND seen_at < now() - $1 * interval '1 ms'`,
      [silentMs],
    );
    return row?.count ?? 0;
  }

  async oldestMs(holder: 'run' | 'person'): Promise<number> {
    const row = await this.database.firstRow<{ age_ms: number }>(
      `SELECT coalesce(extract(epoch FROM now() - min(since)) * 1000, 0)::float8 AS age_ms
       FROM terraform_state_locks WHERE by_hand = $1`,
      [holder === 'person'],
    );
    return Math.max(0, row?.age_ms ?? 0);
  }

  async whileQuiet<T>(uid: string, quiet: Quiet, work: (epoch: bigint) => Promise<T>): Promise<T> {
    return this.database.inTurn(turnOf(uid), async (transaction) => {
      const held = await findLock(transaction, uid);
      await requireQuiet(held, quiet);
      if (held?.isByHand) await seen(transaction, uid);
      return work(await nextEpoch(transaction));
    });
  }
}

async function seen(sql: SqlRunner, infrastructureUid: string): Promise<void> {
  await sql.execute('UPDATE terraform_state_locks SET seen_at = now() WHERE infrastructure_uid = $1 AND by_hand', [
    infrastructureUid,
  ]);
}

async function findLock(sql: SqlRunner, infrastructureUid: string): Promise<HeldLock | undefined> {
  const row = await sql.firstRow<LockRow>(
    `SELECT ${LOCK_COLUMNS} FROM terraform_state_locks WHERE infrastructure_uid = $1`,
    [infrastructureUid],
  );
  return row && lockOf(row);
}
