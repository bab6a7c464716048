/** Of so many letters that are typed, one may be wrong. */
const LETTERS_PER_SLIP = 3;

/** Longer than any name of a field; a comparison takes time with the length, and who typed more meant something else. */
const LONGEST = 64;

/** The name that somebody most likely meant, upper or lower case; undefined when none is near. Pure. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (typed.length > LONGEST) return undefined;
  const most = Math.max(1, Math.floor(typed.length / LETTERS_PER_SLIP));
  const near = names
    .map((name) => ({ name, slips: slipsBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ slips }) => slips <= most && slips < typed.length)
    .toSorted((left, right) => left.slips - right.slips);
  return near[0]?.name;
}

/** Letters put in, left out, changed or swapped with the one beside: the optimal string alignment distance. */
function slipsBetween(from: string, to: string): number {
  const [a, b] = [[...from], [...to]];
  let older: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, letter] of a.entries()) {
    const current = [row + 1];
    for (const [column, other] of b.entries()) {
      const changed = at(previous, column) + (letter === other ? 0 : 1);
      const isSwapped = row > 0 && column > 0 && letter === b[column - 1] && a[row - 1] === other;
      const swapped = isSwapped ? at(older, column - 1) + 1 : Infinity;
      current.push(Math.min(changed, swapped, at(previous, column + 1) + 1, at(current, column) + 1));
    }
    [older, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
