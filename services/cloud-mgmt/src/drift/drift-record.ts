import type { DriftFailure, DriftStatus } from '@crate/api';

/** What is known of the comparisons of one Infrastructure with the cloud. */
export interface DriftRecord {
  /** Since when it is known at all: the beginning of the schedule for what was never compared. */
  readonly notedAt: Date;
  /** When the cloud was last compared, or brought to the spec; undefined: never. */
  readonly checkedAt: Date | undefined;
  /** When the last comparison failed; undefined: it did not. */
  readonly failedAt: Date | undefined;
  /** In a row. */
  readonly failures: number;
  readonly failure: DriftFailure | undefined;
  /** The last run that had changed something by then. */
  readonly runId: string | undefined;
  /** What was asked of the comparison: policy and ceiling of that time. */
  readonly stance: string | undefined;
  /** Values of the two annotations that were last done. */
  readonly answered: string | undefined;
  readonly resolved: string | undefined;
  /** What differs, and what was kept; undefined: nothing. */
  readonly drift: DriftStatus | undefined;
  /** Why the policy `correct` does not put it back. */
  readonly held: DriftFailure | undefined;
  /** What the release would do with an impact, though nobody asks for it, for people; undefined: nothing. */
  readonly unasked: string | undefined;
  /** Nobody is to compare it now: nothing is there in full, or a change or the deletion comes first. */
  readonly isExempt: boolean;
}

/** Of an Infrastructure that was never compared, after that run if there was one. */
export function newDriftRecord(now: Date, runId: string | undefined): DriftRecord {
  return {
    notedAt: now,
    checkedAt: undefined,
    failedAt: undefined,
    failures: 0,
    failure: undefined,
    runId,
    stance: undefined,
    answered: undefined,
    resolved: undefined,
    drift: undefined,
    held: undefined,
    unasked: undefined,
    isExempt: false,
  };
}

/** Whether anything differs beyond what was kept. */
export function isDrifted({ drift }: Pick<DriftRecord, 'drift'>): boolean {
  return drift !== undefined && drift.resources.length + drift.omitted > 0;
}

/** After a comparison that came to its end. */
export function withFound(
  record: DriftRecord,
  found: Pick<DriftRecord, 'drift' | 'held' | 'unasked' | 'runId' | 'stance'>,
  now: Date,
): DriftRecord {
  return { ...record, ...found, checkedAt: now, failedAt: undefined, failures: 0, failure: undefined };
}

/** After a comparison that failed: what was known stays. */
export function withFailure(record: DriftRecord, failure: DriftFailure, now: Date): DriftRecord {
  return { ...record, failure, failedAt: now, failures: record.failures + 1 };
}
