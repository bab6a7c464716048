import type { SqlRunner } from '@crate/database';
import {
  TRACE_LASTS_MS,
  WorkQueue,
  type ReconcileKey,
  type WorkClaim,
  type WorkLease,
  type WorkResult,
} from '@crate/reconcile';
import { currentTraceparent } from '@crate/telemetry';
import { FinishBatcher } from './finish-batcher.js';
import { RenewBatcher } from './renew-batcher.js';
import * as sql from './statements.js';

interface ClaimedRow {
  readonly namespace: string;
  readonly name: string;
  readonly epoch: string;
  readonly attempts: number;
  readonly trace: string | null;
  readonly is_takeover: boolean;
  readonly waited_ms: number;
}

export interface PostgresWorkQueueOptions {
  /** Its connections' `search_path` is the service's schema. */
  readonly database: SqlRunner;
  /** Stands beside what this process claims, for people. Absent: they are told that it is unknown. */
  readonly holder?: string;
}

/** The queue in the table `work_items`, shared by all replicas of a service. Every time is the database's. */
export class PostgresWorkQueue extends WorkQueue {
  private readonly database: SqlRunner;
  private readonly holder: string | null;
  private readonly ends: FinishBatcher;
  private readonly renewals: RenewBatcher;

  constructor(options: PostgresWorkQueueOptions) {
    super();
    this.database = options.database;
    this.holder = options.holder ?? null;
    this.renewals = new RenewBatcher(this.database, (claim, leaseMs) => this.renewAlone(claim, leaseMs));
    this.ends = new FinishBatcher(this.database, ({ claim, afterMs, failed, settled }) =>
      this.giveBack(sql.FINISH_AGAIN, [...claimValues(claim), afterMs, failed, settled]),
    );
  }

  async enqueue(reconciler: string, keys: readonly ReconcileKey[], delayMs = 0): Promise<void> {
    if (keys.length === 0) return;
    const [namespaces, names] = [keys.map((key) => key.namespace), keys.map((key) => key.name)];
    await this.database.execute(sql.ENQUEUE, [reconciler, namespaces, names, delayMs, currentTraceparent() ?? null]);
  }

  async claim(reconciler: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]> {
    const values = [reconciler, limit, leaseMs, TRACE_LASTS_MS, this.holder];
    const rows = await this.database.rows<ClaimedRow>(sql.CLAIM, values);
    // UPDATE gives its rows in any order.
    return rows.map((row) => leaseOf(reconciler, row)).sort((a, b) => b.waitedMs - a.waitedMs);
  }

  async renew(lease: WorkClaim, leaseMs: number): Promise<boolean> {
    return this.renewals.renew(lease, leaseMs);
  }

  async finish(lease: WorkClaim, result: WorkResult): Promise<number | undefined> {
    switch (result.kind) {
      case 'again':
        return this.ends.finish({ settled: false, ...result, claim: lease });
      case 'release':
        return this.giveBack(sql.FINISH_RELEASE, claimValues(lease));
      case 'forget':
        return this.forget(claimValues(lease));
    }
  }

  async nextDueInMs(reconciler: string): Promise<number | undefined> {
    const dueInMs = await this.nextDueInMsOf(reconciler);
    return dueInMs === undefined ? undefined : Math.max(0, dueInMs);
  }

  async depth(reconciler: string): Promise<{ readonly due: number; readonly leased: number }> {
    const row = await this.database.firstRow<{ due: number; leased: number }>(sql.DEPTH, [reconciler]);
    return row ?? { due: 0, leased: 0 };
  }

  async oldestWaitMs(reconciler: string): Promise<number> {
    return Math.max(0, -((await this.nextDueInMsOf(reconciler)) ?? 0));
  }

  async position(reconciler: string, key: ReconcileKey): Promise<number | undefined> {
    const values = [reconciler, key.namespace, key.name];
    return (await this.database.firstRow<{ position: number }>(sql.POSITION, values))?.position;
  }

  private async renewAlone(claim: WorkClaim, leaseMs: number): Promise<boolean> {
    return (await this.database.execute(sql.RENEW, [...claimValues(claim), leaseMs])) === 1;
  }

  /** Below 0 when it is due already. */
  private async nextDueInMsOf(reconciler: string): Promise<number | undefined> {
    const row = await this.database.firstRow<{ due_in_ms: number | null }>(sql.NEXT_DUE, [reconciler]);
    return row?.due_in_ms ?? undefined;
  }

  /** A key enqueued during the pass is not deleted but given back as new; Postgres decides that under the row's lock. */
  private async forget(values: readonly unknown[]): Promise<number | undefined> {
    const forgotten = await this.database.execute(sql.FORGET, values);
    return forgotten === 0 ? this.giveBack(sql.FINISH_AGAIN, [...values, 0, false, false]) : undefined;
  }

  private async giveBack(statement: string, values: readonly unknown[]): Promise<number | undefined> {
    const row = await this.database.firstRow<{ due_in_ms: number }>(statement, values);
    return row && Math.max(0, row.due_in_ms);
  }
}

/** The values `$1` to `$4` of a statement that names a claim. */
export function claimValues({ reconciler, key, epoch }: WorkClaim): readonly unknown[] {
  return [reconciler, key.namespace, key.name, epoch];
}

function leaseOf(reconciler: string, row: ClaimedRow): WorkLease {
  return {
    reconciler,
    key: { namespace: row.namespace, name: row.name },
    epoch: BigInt(row.epoch),
    attempts: row.attempts,
    waitedMs: Math.max(0, row.waited_ms),
    isTakeover: row.is_takeover,
    ...(row.trace === null ? {} : { trace: row.trace }),
  };
}
