import { WorkQueue, type ReconcileKey, type WorkClaim, type WorkLease, type WorkResult } from '@crate/reconcile';
import type { QueryResult, QueryResultRow } from 'pg';
import * as sql from './statements.js';

/** What a pool and a client inside a transaction have in common. */
export interface SqlClient {
  query<R extends QueryResultRow>(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<QueryResult<R>>;
}

interface ClaimedRow {
  readonly namespace: string;
  readonly name: string;
  readonly epoch: string;
  readonly attempts: number;
  readonly is_takeover: boolean;
  readonly waited_ms: number;
}

/** The queue in the table `work_items`, shared by all replicas of a service. Every time is the database's. */
export class PostgresWorkQueue extends WorkQueue {
  /** @param client Its connections' `search_path` is the service's schema. */
  constructor(private readonly client: SqlClient) {
    super();
  }

  async enqueue(reconciler: string, keys: readonly ReconcileKey[], delayMs = 0): Promise<void> {
    if (keys.length === 0) return;
    const [namespaces, names] = [keys.map((key) => key.namespace), keys.map((key) => key.name)];
    await this.run(sql.ENQUEUE, [reconciler, namespaces, names, delayMs]);
  }

  async claim(reconciler: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]> {
    const { rows } = await this.run<ClaimedRow>(sql.CLAIM, [reconciler, limit, leaseMs]);
    // UPDATE gives rows in any order; the epochs tell nothing of it either.
    return rows.map((row) => leaseOf(reconciler, row)).sort((a, b) => b.waitedMs - a.waitedMs);
  }

  async renew(lease: WorkClaim, leaseMs: number): Promise<boolean> {
    const { rowCount } = await this.run(sql.RENEW, [...claimValues(lease), leaseMs]);
    return rowCount === 1;
  }

  async finish(lease: WorkClaim, result: WorkResult): Promise<void> {
    const values = claimValues(lease);
    switch (result.kind) {
      case 'again':
        await this.run(sql.FINISH_AGAIN, [...values, result.afterMs, result.failed]);
        return;
      case 'release':
        await this.run(sql.FINISH_RELEASE, values);
        return;
      case 'forget':
        await this.forget(values);
    }
  }

  async nextDueInMs(reconciler: string): Promise<number | undefined> {
    const { rows } = await this.run<{ due_in_ms: number | null }>(sql.NEXT_DUE, [reconciler]);
    const dueInMs = rows[0]?.due_in_ms ?? undefined;
    return dueInMs === undefined ? undefined : Math.max(0, dueInMs);
  }

  async depth(reconciler: string): Promise<{ readonly due: number; readonly leased: number }> {
    const { rows } = await this.run<{ due: number; leased: number }>(sql.DEPTH, [reconciler]);
    return rows[0] ?? { due: 0, leased: 0 };
  }

  async position(reconciler: string, key: ReconcileKey): Promise<number | undefined> {
    const { rows } = await this.run<{ position: number }>(sql.POSITION, [reconciler, key.namespace, key.name]);
    return rows[0]?.position;
  }

  /** A key enqueued during the pass is not deleted but given back as new; Postgres checks that under the row's lock. */
  private async forget(values: unknown[]): Promise<void> {
    const { rowCount } = await this.run(sql.FORGET, values);
    if (rowCount === 0) await this.run(sql.FINISH_AGAIN, [...values, 0, false]);
  }

  private run<R extends QueryResultRow>(
    statement: { readonly name: string; readonly text: string },
    values: unknown[],
  ): Promise<QueryResult<R>> {
    return this.client.query<R>({ ...statement, values });
  }
}

/** The values `$1` to `$4` of a statement that names a claim. */
export function claimValues({ reconciler, key, epoch }: WorkClaim): unknown[] {
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
  };
}
