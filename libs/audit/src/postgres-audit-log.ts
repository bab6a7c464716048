import { Batcher, type SqlRunner } from '@crate/database';
import { invariant } from '@crate/errors';
import { AuditLog, type AuditPage, type AuditQuery, type ChainState, type StoredAuditRow } from './audit-log.js';
import { conditionsOf } from './audit-sql.js';
import type { SignedCheckpoint } from './checkpoint.js';
import type { AuditRecord } from './record.js';

type Row = Readonly<Record<string, unknown>>;

interface LogRow extends Row {
  readonly seq: string;
  readonly line: string;
  readonly hash: string;
}

interface FullRow extends LogRow {
  readonly time: string;
  readonly user_name: string;
  readonly project: string;
  readonly verb: string;
  readonly resource: string;
}

interface CheckpointRow extends Row {
  readonly seq: string;
  readonly hash: string;
  readonly time: string;
  readonly kid: string;
  readonly signature: string;
}

const STATE = `SELECT head.seq AS head_seq, encode(head.hash, 'hex') AS head_hash,
  floor.seq AS floor_seq, encode(floor.hash, 'hex') AS floor_hash, (SELECT floor(extract(epoch FROM begun_at)) FROM recovery) AS epoch
  FROM audit_head AS head CROSS JOIN audit_floor AS floor`;
const ROWS_FROM = `SELECT seq, time, user_name, project, verb, resource, line, encode(hash, 'hex') AS hash
  FROM audit_log WHERE seq >= $1 ORDER BY seq LIMIT $2`;
/** Looked through for old ones at a time, from the old end: however long nobody cut, each look ends in time and the next one goes on. */
const MOST_LOOKED_THROUGH = 1_000_000;
const NOT_CUT = 'seq > (SELECT seq FROM audit_floor)';
const END_OF_LOOK = `(SELECT seq + ${MOST_LOOKED_THROUGH} FROM audit_floor)`;
/**
 * The last row that is old before the first one that is young, if any is: a host whose clock is behind writes old rows among young ones. What a
 * clock that is ahead has dated into the future is neither: it goes with what is old after it, so that it may stay longer by as much as the
 * clock was ahead. The first one that is young bounds the search by the key: rows behind it, a whole log of them, are not read.
 */
const LAST_BEFORE = `SELECT max(seq) AS seq FROM audit_log WHERE ${NOT_CUT} AND time < $1
  AND seq < coalesce((SELECT min(seq) FROM audit_log
    WHERE ${NOT_CUT} AND seq < ${END_OF_LOOK} AND time >= $1 AND time <= $2), ${END_OF_LOOK})`;
/**
 * Rows that one read looks at: most fields are read out of the line, row by row, so that a few hits, or none, would else take a look at a whole
 * log, longer than anybody waits for an answer.
 */
const MOST_READ_THROUGH = 100_000;
/** No two hosts are farther apart than this, where clocks are right. */
const CLOCKS_DIFFER_MS = 3_600_000;
const LAST_CUT = `SELECT line FROM audit_log WHERE verb = 'cut' ORDER BY seq DESC LIMIT 1`;
/** A few at a time, so that no lock is held for long. */
const DELETE_CUT = ['audit_log', 'audit_checkpoints'].map(
  (table) => `DELETE FROM ${table} WHERE seq IN
    (SELECT seq FROM ${table} WHERE seq <= (SELECT seq FROM audit_floor) ORDER BY seq LIMIT 5000)`,
);
const CHECKPOINT_COLUMNS = `seq, encode(hash, 'hex') AS hash, time, kid, encode(signature, 'hex') AS signature`;
const CHECKPOINTS = `SELECT ${CHECKPOINT_COLUMNS} FROM audit_checkpoints WHERE seq > $1 ORDER BY seq LIMIT $2`;
const LAST_CHECKPOINT = `SELECT ${CHECKPOINT_COLUMNS} FROM audit_checkpoints ORDER BY seq DESC LIMIT 1`;
const ADD_CHECKPOINT = `INSERT INTO audit_checkpoints (seq, hash, time, kid, signature)
  VALUES ($1, decode($2, 'hex'), $3, $4, decode($5, 'hex')) ON CONFLICT DO NOTHING`;

const APPEND = 'SELECT append_audit_entries(ARRAY(SELECT jsonb_array_elements($1::jsonb)))';

/** The audit log in the service's own schema. How it works: ADR 0140. */
export class PostgresAuditLog extends AuditLog {
  private readonly appends: Batcher<readonly AuditRecord[], undefined>;

  constructor(
    private readonly sql: SqlRunner,
    private readonly service: string,
  ) {
    super();
    this.appends = new Batcher({ run: (batch) => this.appendAll(batch) });
  }

  override async append(records: readonly AuditRecord[]): Promise<void> {
    if (records.length > 0) await this.appends.ask(records);
  }

  private async appendAll(batch: readonly (readonly AuditRecord[])[]): Promise<readonly undefined[]> {
    await this.sql.execute(APPEND, [JSON.stringify(batch.flat())]);
    return batch.map(() => undefined);
  }

  override async read(query: AuditQuery): Promise<AuditPage> {
    const { head, floor } = await this.state();
    const first = Math.max(query.after, floor.seq);
    const last = Math.min(query.upTo ?? head.seq, head.seq, first + MOST_READ_THROUGH);
    const { text, values } = conditionsOf(query, [first, last, query.limit]);
    const found = await this.sql.rowsOnce<LogRow>(
      `SELECT seq, line, encode(hash, 'hex') AS hash FROM audit_log
        WHERE seq > $1 AND seq <= $2${text} ORDER BY seq LIMIT $3`,
      values,
    );
    const rows = found.map(({ seq, line, hash }) => ({ seq: Number(seq), line, hash }));
    // A full page may have left some out; one that is not has seen all that it looked at.
    const isFull = rows.length === query.limit;
    return { rows, readTo: isFull ? (rows.at(-1)?.seq ?? last) : Math.max(last, query.after) };
  }

  override async state(): Promise<ChainState> {
    const row = await this.sql.firstRow<Row>(STATE);
    return {
      head: { seq: Number(row?.head_seq), hash: String(row?.head_hash) },
      floor: { seq: Number(row?.floor_seq), hash: String(row?.floor_hash) },
      epoch: Number(row?.epoch ?? 0),
    };
  }

  override async rowsFrom(seq: number, limit: number): Promise<readonly StoredAuditRow[]> {
    const rows = await this.sql.rows<FullRow>(ROWS_FROM, [seq, limit]);
    return rows.map(({ time, user_name: user, project, verb, resource, ...row }) => ({
      seq: Number(row.seq),
      line: row.line,
      hash: row.hash,
      columns: { time, user, project, verb, resource },
    }));
  }

  override async now(): Promise<Date> {
    const row = await this.sql.firstRow<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (!row) throw invariant('The database tells no time');
    return row.now;
  }

  override async lastBefore(time: string): Promise<number | undefined> {
    const future = new Date((await this.now()).getTime() + CLOCKS_DIFFER_MS).toISOString();
    const row = await this.sql.firstRow<{ seq: string | null }>(LAST_BEFORE, [time, future]);
    return row?.seq === null || row === undefined ? undefined : Number(row.seq);
  }

  override async cut(seq: number, entry: AuditRecord): Promise<boolean> {
    const row = await this.sql.firstRow<{ done: boolean }>('SELECT cut_audit_log($1, $2::jsonb) AS done', [
      seq,
      JSON.stringify(entry),
    ]);
    // Also what an earlier cut left when its process ended.
    for (const statement of DELETE_CUT) while ((await this.sql.execute(statement)) > 0);
    return row?.done ?? false;
  }

  override async lastCut(): Promise<AuditRecord | undefined> {
    const row = await this.sql.firstRow<{ line: string }>(LAST_CUT);
    return row && (JSON.parse(row.line) as AuditRecord);
  }

  override async checkpoints(after: number, limit: number): Promise<readonly SignedCheckpoint[]> {
    return (await this.sql.rows<CheckpointRow>(CHECKPOINTS, [after, limit])).map((row) => this.checkpointOf(row));
  }

  override async lastCheckpoint(): Promise<SignedCheckpoint | undefined> {
    const row = await this.sql.firstRow<CheckpointRow>(LAST_CHECKPOINT);
    return row && this.checkpointOf(row);
  }

  override async addCheckpoint({ seq, hash, time, kid, signature }: SignedCheckpoint): Promise<void> {
    await this.sql.execute(ADD_CHECKPOINT, [seq, hash, time, kid, signature]);
  }

  private checkpointOf({ seq, hash, time, kid, signature }: CheckpointRow): SignedCheckpoint {
    return { service: this.service, seq: Number(seq), hash, time, kid, signature };
  }
}
