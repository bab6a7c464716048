/** The next lines of one log, each as `<time> <text>`, in order. */
export interface SourceLines {
  readonly name: string;
  readonly lines: readonly string[];
}

export interface MergedLines {
  readonly lines: readonly { readonly name: string; readonly line: string }[];
  /** For each source: the time of its last line that is among them, when some of its lines are left; undefined: none is left. */
  readonly shown: readonly (string | undefined)[];
}

/**
 * Merges logs in the order of time. A source may have more lines than these, so nothing is given that is later than the last line
 * of any that has some: what a source has not shown yet might come before it.
 */
export function mergeLines(sources: readonly SourceLines[]): MergedLines {
  const horizon = sources
    .map(({ lines }) => lines.at(-1))
    .filter((line) => line !== undefined)
    .map(timeOf)
    .reduce((earliest, time) => (time < earliest ? time : earliest), '~');
  const merged = sources.flatMap(({ name, lines }) =>
    lines.filter((line) => timeOf(line) <= horizon).map((line) => ({ name, line })),
  );
  // Sorting is stable, so lines of one source stay in their order.
  merged.sort((left, right) => compare(timeOf(left.line), timeOf(right.line)));
  return { lines: merged, shown: sources.map(({ lines }) => shownOf(lines, horizon)) };
}

function shownOf(lines: readonly string[], horizon: string): string | undefined {
  const left = lines.findIndex((line) => timeOf(line) > horizon);
  if (left < 0) return undefined;
  return left === 0 ? '' : timeOf(lines[left - 1] ?? '');
}

function timeOf(line: string): string {
  return line.slice(0, Math.max(0, line.indexOf(' ')));
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
