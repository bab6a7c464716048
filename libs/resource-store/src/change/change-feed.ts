import type { KubeObject } from '@crate/api';
import type { Revision } from '../revision.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import type { Change } from './change.js';

/** Changes that concern a query, in order, and how far the log was looked through for them. */
export interface ChangePage {
  readonly changes: readonly Change[];
  readonly readTo: Revision;
}

/** The log as a watch reads it: at its own pace and from its own place, so that a slow reader costs no memory. */
export abstract class ChangeFeed {
  /** Where a watch begins: `from` itself, or the newest revision. Throws Gone when the log does not reach back to `from`. */
  abstract start(from: Revision | undefined): Promise<Revision>;
  /** Some changes after `cursor`; never blocks for new ones. Throws Gone. */
  abstract read(cursor: Revision, query: CompiledQuery): Promise<ChangePage>;
  /** The states that these changes replaced, by the revision of the change; ADDED replaced none. Throws Gone. */
  abstract previousOf(changes: readonly Change[]): Promise<ReadonlyMap<Revision, KubeObject>>;
  /** Resolves when there may be changes after `cursor`, when the signal aborts or the feed closes, or after the time given (may be Infinity). */
  abstract waitBeyond(cursor: Revision, signal: AbortSignal, timeoutMs: number): Promise<void>;
  abstract readonly isClosed: boolean;
  /** Says that a watch is running; returns a function that says it ended. */
  abstract join(): () => void;
}
