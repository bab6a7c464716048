import type { LogChunk, LogQuery, ReadLogOptions } from '@crate/resource-client';
import { formatCursor, parseCursor, type LogCursor } from './log-cursor.js';
import { linesOf, type LogPart, type LogParts } from './log-part.js';

export interface RunLogReaderOptions {
  readonly parts: LogParts;
  readonly owner: string;
  readonly query: LogQuery;
}

/** Fits into a message with room to spare. */
const CHUNK_CHARACTERS = 192 * 1024;
const PARTS = 12;

/** Reads the log of one object. */
export class RunLogReader {
  constructor(private readonly options: RunLogReaderOptions) {}

  /** What there is after the cursor, without waiting. */
  async read(cursor: ReadLogOptions['cursor']): Promise<Omit<LogChunk, 'isComplete'>> {
    let at = cursor === undefined ? await this.start() : parseCursor(cursor);
    const { parts, owner, query } = this.options;
    const since = query.since === undefined ? {} : { since: normalised(query.since) };
    let text = '';
    for (const part of await parts.after(owner, at.seq, { limit: PARTS, ...since })) {
      if (text.length > 0 && text.length + part.body.length > CHUNK_CHARACTERS) break;
      text += this.textOf(part, at, since.since);
      at = { seq: part.seq, run: part.run, nextLine: part.firstLine + part.lineCount, skip: 0 };
    }
    return { text, cursor: formatCursor(at) };
  }

  private async start(): Promise<LogCursor> {
    const { parts, owner, query } = this.options;
    const beginning = { seq: 0, run: '', nextLine: 0, skip: 0 };
    if (query.tailLines === undefined) return beginning;
    if (query.tailLines === 0) return { ...beginning, seq: (await parts.findTail(owner, 1))?.seq ?? 0 };
    const tail = await parts.findTail(owner, query.tailLines);
    return tail ? { ...beginning, seq: tail.seq - 1, skip: tail.skip } : beginning;
  }

  private textOf(part: LogPart, at: LogCursor, since: string | undefined): string {
    const { timestamps = false, tailLines } = this.options.query;
    const lines = linesOf(part).slice(at.skip);
    const wanted = since === undefined ? lines : lines.filter((line) => timeOf(line) > since);
    const isAsked = since === undefined && (at.run !== '' || tailLines === undefined);
    const missing = isAsked ? missingBefore(part, at) : 0;
    const mark = missing > 0 ? [`${timeOf(lines[0] ?? '')} [${missing} lines of this run are not kept]`] : [];
    return [...mark, ...wanted].map((line) => `${timestamps ? line : withoutTime(line)}\n`).join('');
  }
}

/** How many lines of the run were dropped between what was read and this part. */
function missingBefore({ run, firstLine }: LogPart, at: LogCursor): number {
  return firstLine - (at.run === run ? at.nextLine : 1);
}

function timeOf(line: string): string {
  return line.split(' ', 1)[0] ?? '';
}

function withoutTime(line: string): string {
  return line.slice(timeOf(line).length + 1);
}

/** Any RFC 3339 time as lines have theirs, so that both compare as text. */
function normalised(time: string): string {
  const match = /\.(\d+)(?=Z|[+-]\d\d:\d\d$)/.exec(time);
  const microseconds = (match?.[1] ?? '').padEnd(6, '0').slice(3, 6);
  return new Date(time).toISOString().replace('Z', `${microseconds}Z`);
}
