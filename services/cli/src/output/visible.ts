/** Controls of the terminal, and what turns the direction of text; not the ends of lines, nor tabs. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Text of others as a person sees all of it: what would move the cursor, delete or turn around what is on the terminal stands there as
 * `\u001b`. Lines stay lines. Not for data that programs read. Pure.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same where one line is one thing, so that nobody's text makes up another one. Pure. */
export function oneLine(text: string): string {
  return visible(text.replaceAll(/[\r\n\t]\s*/g, ' '));
}
