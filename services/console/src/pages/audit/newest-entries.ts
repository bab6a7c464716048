import type { AuditEvent } from '@crate/api';

/** More entries than these are no answer to a question of a person. */
export const MOST_ENTRIES = 5_000;
const FIRST_SPAN_MS = 3_600_000;
const SHORTEST_SPAN_MS = 1_000;
const SPAN_FACTOR = 4;

/** What was found, the newest first. */
export interface FoundEntries {
  readonly entries: readonly AuditEvent[];
  /** There are more, and older ones. */
  readonly isCut: boolean;
}

/** A part of the log; its end is not in it. */
export interface Span {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** What a part of the log holds, the oldest first, and no more than is shown of a whole search. */
export interface ReadSpan {
  readonly entries: readonly AuditEvent[];
  readonly isCut: boolean;
}

interface NewestQuestion {
  readonly beginMs: number;
  readonly nowMs: number;
  /** Absent: now, and what comes while it is read. */
  readonly untilMs?: number | undefined;
  readonly read: (span: Span) => Promise<ReadSpan>;
}

/** The API answers from the oldest on, so the log is read in parts from its end on back, each as long as fits. */
export async function newestOf({ beginMs, nowMs, untilMs: endMs, read }: NewestQuestion): Promise<FoundEntries> {
  const found: AuditEvent[] = [];
  let untilMs = endMs;
  let lengthMs = FIRST_SPAN_MS;
  while (found.length < MOST_ENTRIES) {
    const sinceMs = Math.max(beginMs, (untilMs ?? nowMs) - lengthMs);
    const { entries, isCut } = await read({ sinceMs, untilMs });
    if (isCut && lengthMs > SHORTEST_SPAN_MS) {
      lengthMs /= SPAN_FACTOR;
      continue;
    }
    found.unshift(...entries);
    // Entries may have been taken out of the log meanwhile: they are kept for a time only.
    if (sinceMs === beginMs) break;
    untilMs = sinceMs;
    lengthMs *= SPAN_FACTOR;
  }
  return { entries: found.slice(-MOST_ENTRIES).reverse(), isCut: found.length >= MOST_ENTRIES };
}
