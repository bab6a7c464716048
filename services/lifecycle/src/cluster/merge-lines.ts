/** A line as `<time> <text>`, and the time that it counts with. */
export interface TimedLine {
  readonly line: string;
  readonly at: string;
}

/** The next lines of one log, in order; none counts with an earlier time than the one before it. */
export interface SourceLines {
  readonly name: string;
  readonly lines: readonly TimedLine[];
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
    .flatMap(({ lines }) => lines.at(-1)?.at ?? [])
    .reduce((earliest, at) => (at < earliest ? at : earliest), '~');
  const merged = sources.flatMap(({ name, lines }) =>
    lines.filter(({ at }) => at <= horizon).map(({ line, at }) => ({ name, line, at })),
  );
  // Sorting is stable, so lines of one source stay in their order.
  merged.sort((left, right) => compare(left.at, right.at));
  return { lines: merged, shown: sources.map(({ lines }) => shownOf(lines, horizon)) };
}

/**
 * Each line counts with its own time, or that of a line before it which is later: runs follow each other in one log, and the clocks of the
 * processes that wrote them may differ.
 */
export function timed(lines: readonly string[]): readonly TimedLine[] {
  let latest = '';
  return lines.map((line) => {
    const time = timeOf(line);
    if (time > latest) latest = time;
    return { line, at: latest };
  });
}

export function timeOf(line: string): string {
  return line.slice(0, Math.max(0, line.indexOf(' ')));
}

function shownOf(lines: readonly TimedLine[], horizon: string): string | undefined {
  const left = lines.findIndex(({ at }) => at > horizon);
  if (left < 0) return undefined;
  return lines[left - 1]?.at ?? '';
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
