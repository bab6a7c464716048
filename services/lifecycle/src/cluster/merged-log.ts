import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@crate/api';
import { badRequest, hasCode } from '@crate/errors';
import type { CallContext, LogChunk, LogQuery, ReadLogOptions } from '@crate/resource-client';
import { isWorkAhead } from '@crate/run-log';
import { z } from 'zod';
import { mergeLines, timed, timeOf, type SourceLines } from './merge-lines.js';

/** One of the logs that are read as one. */
export interface LogSource {
  /** Shown in front of its lines. */
  readonly name: string;
  readonly read: (options: ReadLogOptions, context: CallContext) => Promise<LogChunk>;
}

/** How far one source was read: up to the cursor, and behind it the lines up to a time. */
const position = z.object({ cursor: z.string().optional(), shown: z.string().optional() });
const positions = z.array(position);
type Position = z.output<typeof position>;

/** What a source has beyond its position. */
interface Part {
  readonly position: Position;
  readonly chunk: LogChunk;
}

/** Reads several logs as one, in the order of time. Knows nothing between calls: the cursor tells it all. */
export class MergedLog {
  constructor(
    private readonly sources: readonly LogSource[],
    /** The object whose log this is, as it is now. */
    private readonly owner: KubeObject,
  ) {}

  async read(options: ReadLogOptions, context: CallContext): Promise<LogChunk> {
    const { query, cursor, waitMs } = options;
    const from = cursor === undefined ? undefined : parseCursor(cursor, this.sources.length);
    if (!from && query.tailLines !== undefined) return this.readTail(query, query.tailLines, context);
    const now = await this.readOnce(query, from, context);
    if (now.text !== '' || now.isComplete || waitMs === 0) return now;
    await this.wait(query, parseCursor(now.cursor, this.sources.length), waitMs, context);
    return this.readOnce(query, parseCursor(now.cursor, this.sources.length), context);
  }

  private async readOnce(
    query: LogQuery,
    from: readonly Position[] | undefined,
    context: CallContext,
  ): Promise<LogChunk> {
    const parts = await Promise.all(
      this.sources.map(async (source, index): Promise<Part> => {
        const at = from?.[index] ?? {};
        return { position: at, chunk: await this.part(source, query, at, { waitMs: 0, context }) };
      }),
    );
    const merged = mergeLines(parts.map((part, index) => this.linesOf(part, index)));
    const next = parts.map(({ position: before, chunk }, index): Position => {
      const shown = merged.shown[index];
      // What is left of a chunk is read again, behind the last line that was shown.
      if (shown === undefined) return { cursor: chunk.cursor };
      return shown === '' ? before : { ...before, shown };
    });
    return {
      text: merged.lines.map((line) => `${shownLine(line, query)}\n`).join(''),
      cursor: JSON.stringify(next),
      isComplete: merged.lines.length === 0 && parts.every(({ chunk }) => chunk.isComplete) && !isWorkAhead(this.owner),
    };
  }

  /** The last lines of all: the last of what each source gives as its last. */
  private async readTail(query: LogQuery, tailLines: number, context: CallContext): Promise<LogChunk> {
    const last: string[] = [];
    let from: readonly Position[] | undefined;
    for (;;) {
      const chunk = await this.readOnce(query, from, context);
      last.push(...chunk.text.split('\n').slice(0, -1));
      last.splice(0, Math.max(0, last.length - tailLines));
      if (chunk.text === '') return { ...chunk, text: last.map((line) => `${line}\n`).join('') };
      from = parseCursor(chunk.cursor, this.sources.length);
    }
  }

  /** Until any of the sources has something. */
  private async wait(query: LogQuery, from: readonly Position[], waitMs: number, context: CallContext): Promise<void> {
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, ...(context.signal ? [context.signal] : [])]);
    const waiting = this.sources.map(async (source, index) => {
      const { isComplete } = await this.part(source, query, from[index] ?? {}, {
        waitMs,
        context: { ...context, signal },
      });
      // The others are still at it.
      if (isComplete) await delay(Math.min(waitMs, COMPLETE_PAUSE_MS), undefined, { signal }).catch(() => undefined);
    });
    try {
      await Promise.race(waiting);
    } finally {
      enough.abort();
      await Promise.allSettled(waiting);
    }
  }

  /** A source that does not exist (yet, or any more) has nothing to say. */
  private async part(
    { read }: LogSource,
    query: LogQuery,
    { cursor }: Position,
    { waitMs, context }: { readonly waitMs: number; readonly context: CallContext },
  ): Promise<LogChunk> {
    const { tailLines, ...rest } = query;
    // One that was missing when the reader began is read from its own beginning.
    const wanted = cursor === undefined && tailLines !== undefined ? { ...rest, tailLines } : rest;
    try {
      return await read({ query: { ...wanted, timestamps: true }, ...(cursor ? { cursor } : {}), waitMs }, context);
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      return { text: '', cursor: cursor ?? '', isComplete: true };
    }
  }

  private linesOf({ position: { shown = '' }, chunk }: Part, index: number): SourceLines {
    const lines = timed(chunk.text.split('\n').slice(0, -1));
    return { name: this.sources[index]?.name ?? '', lines: lines.filter(({ at }) => at > shown) };
  }
}

/** While one source is done and another goes on, somebody has to look at both now and then. */
const COMPLETE_PAUSE_MS = 2_000;

function shownLine({ name, line }: { readonly name: string; readonly line: string }, { timestamps }: LogQuery): string {
  const time = timeOf(line);
  const text = line.slice(time.length + 1);
  return `${timestamps ? `${time} ` : ''}[${name}] ${text}`;
}

function parseCursor(text: string, count: number): readonly Position[] {
  try {
    const found = positions.parse(JSON.parse(text));
    if (found.length === count) return found;
  } catch {
    // Told below.
  }
  throw badRequest('The cursor of the log is malformed');
}
