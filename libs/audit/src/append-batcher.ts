import type { SqlRunner } from '@crate/database';
import { hasCode } from '@crate/errors';
import type { AuditRecord } from './record.js';

interface Waiting {
  readonly lines: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const APPEND = 'SELECT append_audit_entries(ARRAY(SELECT jsonb_array_elements($1::jsonb)))';
const LARGEST_BATCH = 64;

/** Appends records, those of many calls in one transaction when many come at once: each costs a sync of the disk otherwise. */
export class AppendBatcher {
  private readonly queue: Waiting[] = [];
  private isBusy = false;

  constructor(private readonly sql: SqlRunner) {}

  async append(records: readonly AuditRecord[]): Promise<void> {
    const lines = records.map((record) => JSON.stringify(record));
    await new Promise<void>((resolve, reject) => {
      this.queue.push({ lines, resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    if (this.isBusy || this.queue.length === 0) return;
    this.isBusy = true;
    void this.run(this.queue.splice(0, LARGEST_BATCH)).finally(() => {
      this.isBusy = false;
      this.pump();
    });
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.sql.rows(APPEND, [`[${batch.flatMap(({ lines }) => lines).join(',')}]`]);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      await this.fail(batch, error);
    }
  }

  /** One bad record must not fail its neighbours. Without an answer all fail, whether or not they were appended. */
  private async fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    const isHopeless = hasCode(error, 'Unavailable', 'Timeout') || batch.length === 1;
    if (isHopeless) return batch.forEach(({ reject }) => reject(error));
    for (const waiting of batch) await this.run([waiting]);
  }
}
