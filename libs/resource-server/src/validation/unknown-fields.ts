import { nearestName } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { type FieldPath, formatPath } from './field-error.js';

/** So many fields are named, with the ones that were meant; a document can have a hundred thousand, and of those the count says enough. */
const NAMED = 20;
const SHOWN_LENGTH = 256;

/** A field that a kind does not have. */
export interface UnknownField {
  readonly cause: ErrorCause;
  /** With the name of the field in it, as Kubernetes says it. */
  readonly text: string;
}

/** The fields at `paths`; `missing` gives the names that the object at a path may have and has not. Pure. */
export function unknownFields(
  paths: readonly FieldPath[],
  missing: (parent: FieldPath) => readonly string[],
): readonly UnknownField[] {
  return paths.map((path, index) => {
    const nearest = index < NAMED ? nearestName(String(path.at(-1)), missing(path.slice(0, -1))) : undefined;
    return unknownField(path, nearest);
  });
}

/** What is said of unknown fields: the first of them, and how many more there are. Pure. */
export function tellUnknown(unknown: readonly UnknownField[]): {
  readonly texts: readonly string[];
  readonly causes: readonly ErrorCause[];
} {
  const named = unknown.slice(0, NAMED);
  const more = unknown.length - named.length;
  return {
    texts: [...named.map(({ text }) => text), ...(more > 0 ? [`and ${more} more unknown fields`] : [])],
    causes: named.map(({ cause }) => cause),
  };
}

function unknownField(path: FieldPath, nearest: string | undefined): UnknownField {
  const field = shorten(formatPath(path));
  const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
  return {
    cause: { reason: 'UnknownField', message: `unknown field${hint}`, field },
    text: `unknown field "${field}"${hint}`,
  };
}

function shorten(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`;
}
