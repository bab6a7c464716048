import type { Cluster } from '@crate/api';

/** An administrator of the Project says with it that the cluster may be deleted. */
export const CONFIRM = 'lifecycle.crate.dev/confirm-deletion';
/** A second person says the same with it, in their own name. */
export const APPROVE = 'lifecycle.crate.dev/approve-deletion';
/** What is in the way may be left behind, for this reason. */
export const FORCE = 'lifecycle.crate.dev/force-deletion';
export const KEEP_VOLUMES = 'lifecycle.crate.dev/keep-volumes';
export const REMOVE_VOLUMES = 'lifecycle.crate.dev/remove-volumes';

/** What the server keeps beside consent: when, and by whom. */
const RECORDS = {
  [CONFIRM]: 'lifecycle.crate.dev/deletion-confirmed',
  [APPROVE]: 'lifecycle.crate.dev/deletion-approved',
} as const;

const COUNTS_FOR_MS = 60 * 60_000;

/** Somebody's consent to the deletion of a protected cluster. */
export interface Consent {
  readonly by: string;
  readonly at: string;
  /** It counts for an hour. */
  readonly isFresh: boolean;
}

/** Consent that somebody gave, as the server recorded it. Pure. */
export function consentOf({ metadata }: Cluster, annotation: keyof typeof RECORDS, now: number): Consent | undefined {
  const { [annotation]: stated, [RECORDS[annotation]]: record = '' } = metadata.annotations ?? {};
  const [, at, by] = /^(\S+) (.+)$/s.exec(record) ?? [];
  if (stated === undefined || at === undefined || by === undefined) return undefined;
  return { by, at, isFresh: now - Date.parse(at) < COUNTS_FOR_MS };
}

/** Until when consent of that time counts, as it is read on the spot. Pure. */
export function untilOf(at: string): string {
  return new Date(Date.parse(at) + COUNTS_FOR_MS).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}
