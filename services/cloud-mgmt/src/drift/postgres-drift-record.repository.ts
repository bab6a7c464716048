import type { SqlRunner } from '@crate/database';
import { conflict } from '@crate/errors';
import { isDrifted, type DriftRecord } from './drift-record.js';
import { DriftRecordRepository, type DriftSummary } from './drift-record.repository.js';

type Asked = Pick<DriftRecord, 'notedAt' | 'checkedAt' | 'failedAt' | 'failures' | 'isExempt'>;
/** What nobody asks the database about. */
type Detail = Omit<DriftRecord, keyof Asked>;

interface Row {
  readonly noted_at: Date;
  readonly checked_at: Date | null;
  readonly failed_at: Date | null;
  readonly failures: number;
  readonly is_exempt: boolean;
  readonly detail: Partial<Detail>;
}

interface Summary {
  readonly drifted: number;
  readonly failing: number;
  readonly exempt: number;
  readonly oldest: Date | null;
}

const FIND = `SELECT noted_at, checked_at, failed_at, failures, is_exempt, detail FROM drift_checks WHERE infrastructure_uid = $1`;
const SAVE = `INSERT INTO drift_checks
    (infrastructure_uid, epoch, noted_at, checked_at, failed_at, failures, is_exempt, is_drifted, detail)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (infrastructure_uid) DO UPDATE SET epoch = excluded.epoch, noted_at = excluded.noted_at,
    checked_at = excluded.checked_at, failed_at = excluded.failed_at, failures = excluded.failures,
    is_exempt = excluded.is_exempt, is_drifted = excluded.is_drifted, detail = excluded.detail
  WHERE drift_checks.epoch <= excluded.epoch`;
const REMOVE = `DELETE FROM drift_checks WHERE infrastructure_uid = $1`;
const SUMMARY = `SELECT count(*) FILTER (WHERE is_drifted)::int AS drifted, count(*) FILTER (WHERE failures > 0 AND NOT is_exempt)::int AS failing,
  count(*) FILTER (WHERE is_exempt)::int AS exempt, min(coalesce(checked_at, noted_at)) FILTER (WHERE NOT is_exempt) AS oldest FROM drift_checks`;

/** Records in the table `drift_checks`. */
export class PostgresDriftRecordRepository extends DriftRecordRepository {
  constructor(private readonly database: SqlRunner) {
    super();
  }

  async find(infrastructureUid: string): Promise<DriftRecord | undefined> {
    const row = await this.database.firstRow<Row>(FIND, [infrastructureUid]);
    return row && toRecord(row);
  }

  async save(infrastructureUid: string, epoch: bigint, record: DriftRecord): Promise<void> {
    const { notedAt, checkedAt, failedAt, failures, isExempt, ...detail } = record;
    const asked = [notedAt, checkedAt ?? null, failedAt ?? null, failures, isExempt];
    const values = [infrastructureUid, epoch, ...asked, isDrifted(record), json(detail)];
    if ((await this.database.execute(SAVE, values)) === 0) {
      throw conflict('A newer pass has compared the Infrastructure');
    }
  }

  async remove(infrastructureUid: string): Promise<void> {
    await this.database.execute(REMOVE, [infrastructureUid]);
  }

  async summary(): Promise<DriftSummary> {
    const row = await this.database.firstRow<Summary>(SUMMARY, []);
    const { drifted = 0, failing = 0, exempt = 0, oldest } = row ?? {};
    return { drifted, failing, exempt, oldestCheckAt: oldest ?? undefined };
  }
}

/** Postgres has no NUL in text, and jsonb no half of a surrogate pair. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, '$1');
}

function toRecord({ noted_at, checked_at, failed_at, failures, is_exempt, detail }: Row): DriftRecord {
  return {
    notedAt: noted_at,
    checkedAt: checked_at ?? undefined,
    failedAt: failed_at ?? undefined,
    failures,
    isExempt: is_exempt,
    failure: detail.failure,
    runId: detail.runId,
    stance: detail.stance,
    answered: detail.answered,
    resolved: detail.resolved,
    drift: detail.drift,
    held: detail.held,
    unasked: detail.unasked,
  };
}
