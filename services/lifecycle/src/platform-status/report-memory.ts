import { readServiceReport, type ServiceReport } from '@crate/api';
import type { SqlRunner } from '@crate/database';

/** What a service said, and how long ago. */
export interface RememberedReport {
  readonly report: ServiceReport;
  readonly ageMs: number;
}

/** What services said last, over the end of this process and for all of its replicas. */
export abstract class ReportMemory {
  /** Takes the place of what was saved before, whatever its time says: that may be from before the clock was set back. */
  abstract save(report: ServiceReport): Promise<void>;
  /** Undefined also for what another release said in a form of its own. */
  abstract find(service: string): Promise<RememberedReport | undefined>;
}

const SAVE = `INSERT INTO service_reports (service, told_at, report) VALUES ($1, now(), $2)
  ON CONFLICT (service) DO UPDATE SET told_at = excluded.told_at, report = excluded.report`;

const FIND = `SELECT report, (extract(epoch FROM now() - told_at) * 1000)::float8 AS age_ms
  FROM service_reports WHERE service = $1`;

/** In the table `service_reports`, by the clock of the database. */
export class PostgresReportMemory extends ReportMemory {
  constructor(private readonly database: SqlRunner) {
    super();
  }

  override async save(report: ServiceReport): Promise<void> {
    await this.database.execute(SAVE, [report.service, JSON.stringify(report)]);
  }

  override async find(service: string): Promise<RememberedReport | undefined> {
    const row = await this.database.firstRow<{ report: unknown; age_ms: number }>(FIND, [service]);
    const report = readServiceReport(row?.report);
    return row && report ? { report, ageMs: Math.max(0, row.age_ms) } : undefined;
  }
}
