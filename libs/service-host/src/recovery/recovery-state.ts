import type { SqlRunner } from '@crate/database';

/** A recovery that nobody has confirmed yet. */
export interface OpenRecovery {
  readonly epoch: number;
  readonly begunAt: Date;
  readonly reason: string;
}

/** The newest recovery, over or not. */
export interface LastSetBack {
  readonly begunAt: Date;
  /** Nobody has confirmed yet. */
  readonly isOpen: boolean;
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
  /** When the memory was last set back, confirmed or not: of what came before, more may be there than is known. */
  async findLast(): Promise<LastSetBack | undefined> {
    const row = await this.database.firstRow<{ begun_at: Date; is_open: boolean }>(
      'SELECT begun_at, confirmed_at IS NULL AS is_open FROM recovery WHERE begun_at IS NOT NULL',
    );
    return row && { begunAt: row.begun_at, isOpen: row.is_open };
  }
}
