import type { ReplicaReport, ReplicaState } from '@crate/api';
import { REPLICA_SILENT_AFTER_MS } from '@crate/api';
import type { SqlRunner } from '@crate/database';
import type { ReplicaIdentity } from './replica-identity.js';
import type { ReplicaVitals } from './replica-vitals.js';

/** What ended in order is told for this long; what was replaced, too. */
const TOLD_MS = 10 * 60_000;
/** Who is silent for longer does not come back; another replica forgets it. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
const MOST = 50;

const BEAT = `INSERT INTO service_replicas (id, name, host, pid, said) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp(), stopped_at = NULL, said = excluded.said`;

const STOP = 'UPDATE service_replicas SET seen_at = clock_timestamp(), stopped_at = clock_timestamp() WHERE id = $1';

const REPLACED = `EXISTS (SELECT FROM service_replicas AS newer
  WHERE newer.host = replica.host AND newer.started_at > replica.seen_at)`;

const FORGET = `DELETE FROM service_replicas AS replica WHERE id <> $1 AND (
  seen_at < clock_timestamp() - $2 * interval '1 ms'
  OR (seen_at < clock_timestamp() - $3 * interval '1 ms' AND (stopped_at IS NOT NULL OR ${REPLACED})))`;

const LIST = `SELECT name, host, pid, started_at, seen_at, stopped_at IS NOT NULL AS is_stopped, ${REPLACED} AS is_replaced,
    greatest(extract(epoch FROM clock_timestamp() - seen_at) * 1000, 0)::float8 AS silent_ms, said
  FROM service_replicas AS replica ORDER BY seen_at DESC LIMIT ${MOST}`;

interface Row {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: Date;
  readonly seen_at: Date;
  readonly is_stopped: boolean;
  readonly is_replaced: boolean;
  readonly silent_ms: number;
  readonly said: ReplicaVitals;
}

/** The replicas of this service, as each said of itself. */
export class ReplicaRepository {
  constructor(private readonly database: SqlRunner) {}

  /** Says that the replica is there. Also what was forgotten meanwhile is there again. */
  async beat({ id, name, host, pid }: ReplicaIdentity, vitals: ReplicaVitals): Promise<void> {
    await this.database.execute(BEAT, [id, name, host, pid, JSON.stringify(vitals)]);
  }

  /** The replica ends in order. */
  async stop({ id }: ReplicaIdentity): Promise<void> {
    await this.database.execute(STOP, [id]);
  }

  /** Forgets whoever is gone for good. A replica that calls this is there, so a service never forgets its last. */
  async forgetGone({ id }: ReplicaIdentity): Promise<void> {
    await this.database.execute(FORGET, [id, FORGOTTEN_AFTER_MS, TOLD_MS]);
  }

  /** Those that were heard of, the newest 50, by name. */
  async list(): Promise<readonly ReplicaReport[]> {
    const rows = await this.database.rows<Row>(LIST);
    return rows.map(reportOf).sort((left, right) => compare(left.name, right.name) || right.silentMs - left.silentMs);
  }

  /** How far the clock of this process is ahead of the database's. */
  async clockSkewMs(now: () => number = Date.now): Promise<number> {
    const before = now();
    const row = await this.database.firstRow<{ at: Date }>('SELECT clock_timestamp() AS at');
    const middle = (before + now()) / 2;
    return Math.round(middle - (row?.at.getTime() ?? middle));
  }
}

function reportOf({ name, host, pid, started_at, seen_at, silent_ms, said, ...flags }: Row): ReplicaReport {
  return {
    ...{ name, host, pid, startedAt: started_at.toISOString(), lastSeen: seen_at.toISOString() },
    silentMs: Math.round(silent_ms),
    uptimeSeconds: Math.max(0, Math.round((seen_at.getTime() - started_at.getTime()) / 1_000)),
    state: stateOf(silent_ms, said, flags.is_stopped, flags.is_replaced),
    ...said,
  };
}

function stateOf(silentMs: number, { checks }: ReplicaVitals, isStopped: boolean, isReplaced: boolean): ReplicaState {
  if (isStopped) return 'Stopped';
  if (silentMs > REPLICA_SILENT_AFTER_MS) return isReplaced ? 'Replaced' : 'Silent';
  return stateBy(checks);
}

/** Of a replica that is there. */
export function stateBy(checks: ReplicaVitals['checks']): 'Ready' | 'NotReady' {
  return checks.every(({ ok }) => ok) ? 'Ready' : 'NotReady';
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
