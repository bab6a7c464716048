import type { DriftRecord } from './drift-record.js';

/** What all records together come to, for operators. */
export interface DriftSummary {
  /** Infrastructures that differ from what was applied. */
  readonly drifted: number;
  /** Infrastructures whose last comparison failed, of those that are to be compared. */
  readonly failing: number;
  /** Infrastructures that nobody is to compare now. */
  readonly exempt: number;
  /** Since when the one that waits longest was not compared, of those that are to be; undefined: there is none. */
  readonly oldestCheckAt: Date | undefined;
}

/** What is known of drift, one record per Infrastructure. */
export abstract class DriftRecordRepository {
  /** Undefined when it was never compared. */
  abstract find(infrastructureUid: string): Promise<DriftRecord | undefined>;
  /** Throws Conflict when a pass with a newer epoch has stored one. Idempotent. */
  abstract save(infrastructureUid: string, epoch: bigint, record: DriftRecord): Promise<void>;
  /** Idempotent. */
  abstract remove(infrastructureUid: string): Promise<void>;
  abstract summary(): Promise<DriftSummary>;
}
