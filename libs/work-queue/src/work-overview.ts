import type { SqlRunner } from '@crate/database';
import type { ReconcileKey } from '@crate/reconcile';
import * as sql from './statements.js';

/** The keys of one reconciler, counted. */
export interface WorkTally {
  readonly reconciler: string;
  /** All that are known. */
  readonly depth: number;
  readonly due: number;
  readonly oldestWaitMs: number;
  readonly inWork: number;
  /** Whose last pass failed. */
  readonly retrying: number;
  /** Failed passes in a row of the key that has the most. */
  readonly mostAttempts: number;
}

/** A key that somebody claimed and has not given back. */
export interface HeldKey {
  readonly reconciler: string;
  readonly key: ReconcileKey;
  readonly epoch: bigint;
  /** Absent: claimed by a process that noted none. */
  readonly holder?: string;
  readonly since?: Date;
  readonly until: Date;
  /** False: it ended, and nobody took the key yet. */
  readonly isCurrent: boolean;
}

interface TallyRow {
  readonly reconciler: string;
  readonly depth: number;
  readonly due: number;
  readonly oldest_wait_ms: number;
  readonly in_work: number;
  readonly retrying: number;
  readonly most_attempts: number;
}

interface LeaseRow {
  readonly reconciler: string;
  readonly namespace: string;
  readonly name: string;
  readonly epoch: string;
  readonly holder: string | null;
  readonly claimed_at: Date | null;
  readonly lease_until: Date;
  readonly is_current: boolean;
  readonly total: number;
}

/** What the queue of a service holds, for people. Reads, and writes nothing. */
export class WorkOverview {
  constructor(private readonly database: SqlRunner) {}

  /** Of every reconciler that has keys, by name. */
  async tally(): Promise<ReadonlyMap<string, WorkTally>> {
    const rows = await this.database.rows<TallyRow & Record<string, unknown>>(sql.TALLY);
    return new Map(rows.map((row) => [row.reconciler, tallyOf(row)]));
  }

  /** The oldest `limit`, and how many there are. */
  async leases(limit: number): Promise<{ readonly held: readonly HeldKey[]; readonly total: number }> {
    const rows = await this.database.rows<LeaseRow & Record<string, unknown>>(sql.LEASES, [limit]);
    return { held: rows.map(heldKeyOf), total: rows[0]?.total ?? 0 };
  }
}

function tallyOf(row: TallyRow): WorkTally {
  const { reconciler, depth, due, retrying } = row;
  const counts = { oldestWaitMs: row.oldest_wait_ms, inWork: row.in_work, mostAttempts: row.most_attempts };
  return { reconciler, depth, due, retrying, ...counts };
}

function heldKeyOf(row: LeaseRow): HeldKey {
  return {
    reconciler: row.reconciler,
    key: { namespace: row.namespace, name: row.name },
    epoch: BigInt(row.epoch),
    ...(row.holder === null ? {} : { holder: row.holder }),
    ...(row.claimed_at === null ? {} : { since: row.claimed_at }),
    until: row.lease_until,
    isCurrent: row.is_current,
  };
}
