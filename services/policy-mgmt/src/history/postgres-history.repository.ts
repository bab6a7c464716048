import type { SqlRunner } from '@crate/database';
import type { ClusterKey } from '../memory/remembered-document.js';
import { HistoryRepository, type HistoryPoint } from './history.repository.js';

interface Row {
  readonly at: Date;
  readonly counts: Omit<HistoryPoint, 'at'>;
}

const OF_KEY = 'FROM policy_history WHERE namespace = $1 AND cluster = $2';
const NEWEST = `SELECT at, counts ${OF_KEY} ORDER BY at DESC LIMIT $3`;
const PUT = `WITH replaced AS (DELETE ${OF_KEY} AND at >= $3)
  INSERT INTO policy_history (namespace, cluster, at, counts) VALUES ($1, $2, $4, $5)
  ON CONFLICT (namespace, cluster, at) DO UPDATE SET counts = excluded.counts`;
const REMOVE = `DELETE ${OF_KEY}`;
const REMOVE_OLDER = `DELETE FROM policy_history WHERE at < now() - $1 * interval '1 millisecond'`;

/** Points in the table `policy_history`. */
export class PostgresHistoryRepository extends HistoryRepository {
  constructor(private readonly database: SqlRunner) {
    super();
  }

  async last(key: ClusterKey): Promise<HistoryPoint | undefined> {
    return (await this.list(key, 1))[0];
  }

  async list({ namespace, cluster }: ClusterKey, limit: number): Promise<readonly HistoryPoint[]> {
    const rows = await this.database.rows<Row>(NEWEST, [namespace, cluster, limit]);
    return rows.map(({ at, counts }) => ({ at, ...counts })).reverse();
  }

  async put({ namespace, cluster }: ClusterKey, { at, ...counts }: HistoryPoint, since: Date): Promise<void> {
    await this.database.execute(PUT, [namespace, cluster, since, at, JSON.stringify(counts)]);
  }

  async remove({ namespace, cluster }: ClusterKey): Promise<void> {
    await this.database.execute(REMOVE, [namespace, cluster]);
  }

  async removeOlder(ageMs: number): Promise<void> {
    await this.database.execute(REMOVE_OLDER, [ageMs]);
  }
}
