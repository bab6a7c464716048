import type { Database } from '@crate/database';
import { LogParts, type LogPart, type NewLogPart } from './log-part.js';

interface Row extends Omit<LogPart, 'seq'> {
  /** A bigint, which the driver gives as text. */
  readonly seq: string;
}

const ADD = `INSERT INTO run_log_parts (owner, run, first_line, line_count, last_at, body)
  VALUES ($1, $2, $3, $4, $5, $6) RETURNING seq::text`;
const REMOVE = `DELETE FROM run_log_parts WHERE owner = $1 AND seq = ANY ($2::bigint[])`;
const REMOVE_OLD_RUNS = `DELETE FROM run_log_parts WHERE owner = $1 AND run NOT IN (
  SELECT run FROM run_log_parts WHERE owner = $1 GROUP BY run ORDER BY max(seq) DESC LIMIT $2)`;
const REMOVE_ALL = `DELETE FROM run_log_parts WHERE owner = $1`;
// NOTE: an unqualified name in ORDER BY is that of the output, which is text.
const AFTER = `SELECT seq::text, run, first_line AS "firstLine", line_count AS "lineCount", last_at AS "lastAt", body
  FROM run_log_parts WHERE owner = $1 AND seq > $2 AND last_at > $3 ORDER BY run_log_parts.seq LIMIT $4`;
const TAIL = `SELECT seq::text, (total - $2)::int AS skip FROM (
    SELECT seq, sum(line_count) OVER (ORDER BY seq DESC) AS total FROM run_log_parts WHERE owner = $1) AS counted
  WHERE total >= $2 ORDER BY counted.seq DESC LIMIT 1`;

/** Parts in the table `run_log_parts`. */
export class PostgresLogParts extends LogParts {
  constructor(private readonly database: Database) {
    super();
  }

  override async add(owner: string, { run, firstLine, lineCount, lastAt, body }: NewLogPart): Promise<number> {
    const row = await this.database.firstRow<{ seq: string }>(ADD, [owner, run, firstLine, lineCount, lastAt, body]);
    return Number(row?.seq);
  }

  override async remove(owner: string, seqs: readonly number[]): Promise<void> {
    await this.database.execute(REMOVE, [owner, seqs]);
  }

  override async removeOldRuns(owner: string, keep: number): Promise<void> {
    await this.database.execute(REMOVE_OLD_RUNS, [owner, keep]);
  }

  override async removeAll(owner: string): Promise<void> {
    await this.database.execute(REMOVE_ALL, [owner]);
  }

  override async after(
    owner: string,
    seq: number,
    { limit, since = '' }: { readonly limit: number; readonly since?: string },
  ): Promise<readonly LogPart[]> {
    const rows = await this.database.rows<Row>(AFTER, [owner, seq, since, limit]);
    return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
  }

  override async findTail(owner: string, lines: number): Promise<{ seq: number; skip: number } | undefined> {
    const row = await this.database.firstRow<{ seq: string; skip: number }>(TAIL, [owner, lines]);
    return row && { seq: Number(row.seq), skip: row.skip };
  }
}
