/** A line of a run's log. */
export interface LogLine {
  /** In microseconds; no two lines of an object have the same. */
  readonly time: string;
  /** Program that printed it. */
  readonly source: string;
  readonly text: string;
}

const LINE = /^(\d{4}-\S+Z) (?:\[(\w+)\] )?(.*)$/;

/** Reads a line that begins with its time. Pure. */
export function parseLogLine(line: string): LogLine {
  const [, time = '', source = '', text = line] = LINE.exec(line) ?? [];
  return { time, source, text };
}

/** A run within a log. */
export interface LogRun {
  /** Its first line. */
  readonly index: number;
  readonly time: string;
  readonly title: string;
  readonly outcome: 'running' | 'succeeded' | 'failed';
}

const BEGIN = /^=== (.+), run [0-9a-f-]+/;
const END = /^=== run (\w+)/;

/** The runs whose beginnings are in a log, the oldest first. Pure. */
export function runsOf(lines: readonly LogLine[]): readonly LogRun[] {
  const runs: LogRun[] = [];
  const open = new Map<string, number>();
  for (const [index, { time, source, text }] of lines.entries()) {
    const title = BEGIN.exec(text)?.[1];
    const end = END.exec(text)?.[1];
    const at = open.get(source);
    if (title !== undefined) open.set(source, runs.push({ index, time, title, outcome: 'running' }) - 1);
    else if (end !== undefined && at !== undefined) {
      runs[at] = { ...(runs[at] as LogRun), outcome: end === 'succeeded' ? 'succeeded' : 'failed' };
    }
  }
  return runs;
}

/** Lines that contain a text, whatever its case. Pure. */
export function matchesOf(lines: readonly LogLine[], query: string): readonly number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap(({ text }, index) => (text.toLowerCase().includes(wanted) ? [index] : []));
}
