import { conflict } from '@crate/errors';

/** Throws Conflict when `newest` is a version that a writer who knew `after` as the newest has not seen. */
export function refuseOverlooked(kind: string, newest: number | undefined, after: number | undefined): void {
  if (after === undefined || (newest ?? 0) === after) return;
  throw conflict('This secret has a newer version than the one that was changed', { kind });
}
