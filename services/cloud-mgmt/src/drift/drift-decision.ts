import {
  CHECK_DRIFT_ANNOTATION,
  parseDriftDecision,
  RESOLVE_DRIFT_ANNOTATION,
  type DriftDecision,
  type Infrastructure,
} from '@crate/api';
import type { DriftRecord } from './drift-record.js';

/** The comparison that somebody asks for; undefined when it was made. */
export function askedCheck({ metadata }: Infrastructure, { answered }: DriftRecord): string | undefined {
  const asked = metadata.annotations?.[CHECK_DRIFT_ANNOTATION];
  return asked === answered ? undefined : asked;
}

/** What somebody decided about the drift that is known; undefined when it was done, or was said about another drift. */
export function openDecision(
  { metadata }: Infrastructure,
  { resolved, drift }: DriftRecord,
): (DriftDecision & { readonly value: string }) | undefined {
  const value = metadata.annotations?.[RESOLVE_DRIFT_ANNOTATION];
  const decision = parseDriftDecision(value);
  if (value === undefined || value === resolved || decision?.digest !== drift?.digest) return undefined;
  return decision && { ...decision, value };
}
