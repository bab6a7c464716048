import { createHash } from 'node:crypto';
import type { DriftSpec, Infrastructure } from '@crate/api';
import type { DriftRecord } from './drift-record.js';

const MINUTE_MS = 60_000;
/** A tenth earlier to a tenth later than said. */
const SPREAD = 0.1;
const MOST_DOUBLINGS = 10;

/**
 * When the cloud is compared next. Follows from what is stored alone, so that a restart neither skips a comparison nor makes all of them
 * at once; spread by what cannot change. Pure.
 */
export function nextCheckAt(record: DriftRecord, { everyMinutes }: DriftSpec, uid: string): Date {
  const intervalMs = everyMinutes * MINUTE_MS;
  const { notedAt, checkedAt, failedAt, failures } = record;
  if (failedAt) {
    const delayMs = MINUTE_MS * 2 ** Math.min(failures - 1, MOST_DOUBLINGS);
    return after(failedAt, Math.min(intervalMs, delayMs) * (1 - SPREAD * fraction(uid)));
  }
  // An installation that learns to compare does not compare everything at once.
  if (!checkedAt) return after(notedAt, intervalMs * fraction(uid));
  const spread = 1 - SPREAD + 2 * SPREAD * fraction(`${uid} ${checkedAt.getTime()}`);
  return after(checkedAt, intervalMs * spread);
}

/** A comparison needs no watch to the second, and a settled key is looked at now and then in any case. */
const SHORTEST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 30 * MINUTE_MS;

/** How long until the next look at an Infrastructure. Pure. */
export function nextLookMs(
  record: DriftRecord,
  { spec, metadata }: Infrastructure,
  { now, postponedMs: postponed }: { readonly now: Date; readonly postponedMs?: number },
): number {
  // What nobody is to compare is never due, however long ago it was compared.
  if (record.isExempt) return LONGEST_LOOK_MS;
  const ms = postponed ?? nextCheckAt(record, spec.drift, metadata.uid).getTime() - now.getTime();
  return Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, ms));
}

const SHORTEST_POSTPONEMENT_MS = 5_000;
const LONGEST_POSTPONEMENT_MS = 5 * MINUTE_MS;

/** How long to leave a slot to others: the longer the last comparison is ago, the more of them wait as well. */
export function postponedMs({ checkedAt, notedAt }: DriftRecord, now: Date, random = Math.random): number {
  const sinceMs = now.getTime() - (checkedAt ?? notedAt).getTime();
  const ms = Math.min(LONGEST_POSTPONEMENT_MS, Math.max(SHORTEST_POSTPONEMENT_MS, sinceMs / 100));
  return Math.round(ms * (0.5 + random()));
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + Math.round(ms));
}

/** From 0 to 1, the same for the same text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 0xffff_ffff;
}
