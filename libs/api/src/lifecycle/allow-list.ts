/** Whether a value is on a list of what a Project allows; `*` in an entry stands for any text, as in `m5.*`. */
export function isAllowed(value: string, entries: readonly string[]): boolean {
  return entries.some((entry) => matches(value, entry));
}

/** Piece by piece and not by a regular expression, which a pattern could make take for ever. */
function matches(value: string, pattern: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return value === first;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = value.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}
