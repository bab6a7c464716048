/** What no JSON document of the database may hold: NUL, and halves of characters, as are left where a text was cut in a pair. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** The text without what would make an object that it stands in impossible to store. For what we say ourselves; input of others is refused. */
export function storableText(text: string): string {
  return text.replaceAll(UNSTORABLE, '');
}
