const PLAIN = /^[\w@%+=:,./-]+$/;

/** A text in a line to copy, as a shell takes it for one argument. */
export function argument(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
