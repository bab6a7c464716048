import type { SqlRunner } from '@crate/database';

/** A recovery that nobody has confirmed yet. */
export interface OpenRecovery {
  readonly epoch: number;
  readonly begunAt: Date;
  readonly reason: string;
}

interface Row extends Record<string, unknown> {
  readonly epoch: string;
  readonly begun_at: Date;
  readonly reason: string;
}

/** Whether the service works on a memory that is older than the world. */
export class RecoveryState {
  constructor(private readonly database: SqlRunner) {}

  /** Undefined in normal operation. Asked anew each time: a person may have confirmed. */
  async find(): Promise<OpenRecovery | undefined> {
    const row = await this.database.firstRow<Row>(
      'SELECT epoch, begun_at, reason FROM recovery WHERE begun_at IS NOT NULL AND confirmed_at IS NULL',
    );
    return row && { epoch: Number(row.epoch), begunAt: row.begun_at, reason: row.reason };
  }
}
