import { badRequest } from '@crate/errors';

/** NUL, which Postgres stores nowhere, and halves of surrogate pairs, which are no characters. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Only text with escapes, or with NUL itself, can lead to what cannot be stored; most bodies need no closer look. */
const SUSPICIOUS = /[\\\0]/;

/** True for text that Postgres can keep. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** Throws BadRequest when a parsed document holds text that nothing can store; `source` is what it was parsed from. */
export function refuseUnstorable(document: unknown, source: string): void {
  if (SUSPICIOUS.test(source)) look(document, []);
}

function look(value: unknown, path: readonly string[]): void {
  if (typeof value === 'string' && !isStorable(value)) throw refusal(path);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) throw refusal(path);
    look(member, [...path, key]);
  }
}

function refusal(path: readonly string[]): Error {
  const where = path.length === 0 ? '' : ` at ${path.join('.')}`;
  return badRequest(`the request body has a NUL character or half of a surrogate pair${where}`);
}
