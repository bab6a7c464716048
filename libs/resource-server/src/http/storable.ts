/** NUL, which Postgres stores nowhere, and halves of surrogate pairs, which are no characters. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** True for text that Postgres can keep. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}
