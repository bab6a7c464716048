import type { AuditField } from '@crate/api';
import type { ChainLink } from './chain.js';
import type { SignedCheckpoint } from './checkpoint.js';
import type { AuditRecord, AuditRow } from './record.js';

/** One condition on a field of the record. */
export interface AuditCondition {
  readonly field: AuditField;
  readonly isEqual: boolean;
  readonly value: string;
}

/** Which rows are wanted; they come in order. */
export interface AuditQuery {
  /** Only rows behind this one. */
  readonly after: number;
  /** Only rows up to this one. */
  readonly upTo?: number;
  readonly limit: number;
  readonly conditions?: readonly AuditCondition[];
  /** Only calls at or after this time, ISO 8601 in UTC with milliseconds. */
  readonly since?: string;
  /** Only calls before this time. */
  readonly until?: string;
}

/** Rows and how far the log was looked through for them: what follows is to be asked for anew, also where there are fewer than wanted, or none. */
export interface AuditPage {
  readonly rows: readonly AuditRow[];
  readonly readTo: number;
}

/** A row with the columns that repeat its line, for verification. */
export interface StoredAuditRow extends AuditRow {
  readonly columns: Readonly<Record<'time' | 'user' | 'project' | 'verb' | 'resource', string>>;
}

/** Both ends of the chain. */
export interface ChainState {
  readonly head: ChainLink;
  readonly floor: ChainLink;
  /**
   * The second since 1970 in which the database was last set back to an older point: rows of before may have been lost, and their numbers given
   * again. A count would not do, as it is set back as well. 0 or absent: never.
   */
  readonly epoch?: number;
}

/** The append-only record of one service. All methods throw Unavailable. */
export abstract class AuditLog {
  /** Resolves once the records are committed, all in one transaction. */
  abstract append(records: readonly AuditRecord[]): Promise<void>;
  abstract read(query: AuditQuery): Promise<AuditPage>;
  abstract state(): Promise<ChainState>;
  /** The row at `seq` and what follows it, at most `limit`, with all columns. */
  abstract rowsFrom(seq: number, limit: number): Promise<readonly StoredAuditRow[]>;
  /** By the clock of the database, which is one for all replicas. */
  abstract now(): Promise<Date>;
  /** The last row of a call before `time` that no row of a call since then, and not of the future, is before; undefined when there is none. */
  abstract lastBefore(time: string): Promise<number | undefined>;
  /** Removes all rows and checkpoints up to `seq`, and says so with `entry` in the chain; false when they are gone already. */
  abstract cut(seq: number, entry: AuditRecord): Promise<boolean>;
  /** What the newest row that tells of a cut says; undefined when there is none. */
  abstract lastCut(): Promise<AuditRecord | undefined>;
  abstract checkpoints(after: number, limit: number): Promise<readonly SignedCheckpoint[]>;
  abstract lastCheckpoint(): Promise<SignedCheckpoint | undefined>;
  /** Idempotent. */
  abstract addCheckpoint(checkpoint: SignedCheckpoint): Promise<void>;
}
