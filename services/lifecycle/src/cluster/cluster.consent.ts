import { CONFIRM_ANNOTATION, FORCE_ANNOTATION, FORCED_ANNOTATION, toTimestamp, type KubeObject } from '@crate/api';

/** A second person says with it that the cluster may be deleted; its value is that person's own name. */
export const APPROVE_ANNOTATION = 'lifecycle.crate.dev/approve-deletion';

/** Kept by the server: when consent was given, and by whom. What anybody else writes there is dropped. */
const RECORDS: Readonly<Record<string, string>> = {
  [CONFIRM_ANNOTATION]: 'lifecycle.crate.dev/deletion-confirmed',
  [APPROVE_ANNOTATION]: 'lifecycle.crate.dev/deletion-approved',
  [FORCE_ANNOTATION]: FORCED_ANNOTATION,
};

/** Consent is for a deletion that somebody has in mind, not for whenever. */
export const CONSENT_MS = 60 * 60_000;

export type Annotations = Readonly<Record<string, string>>;

/** Somebody's consent to a deletion. */
export interface Consent {
  /** What the annotation says. */
  readonly value: string;
  readonly by: string;
  readonly isFresh: boolean;
}

/** Undefined when nobody gave it, or the server does not know of it. */
export function consentOf({ metadata }: KubeObject, annotation: string, now: Date): Consent | undefined {
  const { [annotation]: value, [recordOf(annotation)]: record } = metadata.annotations ?? {};
  const [, at, by] = /^(\S+) (.+)$/s.exec(record ?? '') ?? [];
  if (value === undefined || at === undefined || by === undefined) return undefined;
  const ageMs = now.getTime() - Date.parse(at);
  return { value, by, isFresh: ageMs >= -CONSENT_MS && ageMs < CONSENT_MS };
}

/** The annotations with the server's own records: kept for consent that stands, made anew for consent just given. */
export function withRecords(
  stated: Annotations,
  old: Annotations,
  { by, now }: { by: string; now: Date },
): Annotations {
  const result = { ...stated };
  for (const [annotation, record] of Object.entries(RECORDS)) {
    delete result[record];
    if (stated[annotation] === undefined) continue;
    result[record] = (isNews(annotation, stated, old) ? undefined : old[record]) ?? `${toTimestamp(now)} ${by}`;
  }
  return result;
}

/** Whether a write gives this consent, rather than to leave it as it was. */
export function isNews(annotation: string, stated: Annotations, old: Annotations): boolean {
  if (stated[annotation] === undefined) return false;
  return stated[annotation] !== old[annotation] || old[recordOf(annotation)] === undefined;
}

/** A document with no consent in it: it cannot be given before there is a cluster. */
export function withoutConsent(stated: Annotations): Annotations {
  const names = new Set([...Object.keys(RECORDS), ...Object.values(RECORDS)]);
  return Object.fromEntries(Object.entries(stated).filter(([name]) => !names.has(name)));
}

function recordOf(annotation: string): string {
  return RECORDS[annotation] ?? '';
}
