import type { Logger } from '@crate/telemetry';
import { LineClock } from './line-clock.js';
import type { LogParts, NewLogPart } from './log-part.js';

export interface RunLogWriterOptions {
  readonly parts: LogParts;
  /** Uid of the object that the run is for. */
  readonly owner: string;
  readonly run: string;
  readonly logger: Logger;
  /** Told when something was stored. */
  readonly onStored: () => void;
  readonly clock?: LineClock;
  /** Of the run's log, about: the beginning goes when there is more. Default 1 MiB. */
  readonly maxCharacters?: number;
}

/** Soon enough for somebody who follows, rare enough for the database. */
const STORE_EVERY_MS = 500;
/** How long after its last line the end of a log is tried to be stored. */
const TRY_FOR_MS = 60_000;
/** A part is read and sent as a whole. */
const PART_CHARACTERS = 32 * 1024;
const LONGEST_LINE = 8 * 1024;
/** What waits while the database is away; beyond it the oldest lines go. */
const WAITING_CHARACTERS = 1024 * 1024;
const MAX_CHARACTERS = 1024 * 1024;

/** The log of a run while it goes on. Writes never throw: a log that cannot be kept must not fail the run it tells about. */
export class RunLogWriter {
  private readonly clock: LineClock;
  private waiting: string[] = [];
  private waitingCharacters = 0;
  /** Number of the first line that waits. */
  private firstLine = 1;
  private readonly stored: { readonly seq: number; readonly characters: number }[] = [];
  private appendedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private storing: Promise<void> = Promise.resolve();

  constructor(private readonly options: RunLogWriterOptions) {
    this.clock = options.clock ?? new LineClock();
  }

  /** Adds a line, which must be redacted; line feeds in it make it several. */
  append(text: string): void {
    for (const line of text.split(/\r?\n/)) this.appendLine(line);
    this.appendedAt = performance.now();
    this.storeSoon();
  }

  /** Stores what waits. Never throws. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.store();
  }

  private storeSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.store();
    }, STORE_EVERY_MS).unref();
  }

  private appendLine(line: string): void {
    // Postgres has no NUL in text.
    const text = line.replaceAll('\0', '');
    const cut = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} [cut]` : text;
    const stored = `${this.clock.next()} ${cut}\n`;
    this.waiting.push(stored);
    this.waitingCharacters += stored.length;
    while (this.waitingCharacters > WAITING_CHARACTERS) this.takeWaiting(1);
  }

  private store(): Promise<void> {
    this.storing = this.storing.then(() => this.storeAll());
    return this.storing;
  }

  private async storeAll(): Promise<void> {
    const { parts, owner, run, logger, onStored } = this.options;
    while (this.waiting.length > 0) {
      const part = this.nextPart();
      try {
        const seq = await parts.add(owner, part);
        this.stored.push({ seq, characters: part.body.length });
        this.takeUpTo(part.firstLine + part.lineCount);
        await this.dropOldest();
      } catch (error) {
        logger.warn('Storing the log of a run failed', { runId: run, error });
        // No line comes after the last one, which says how the run ended.
        if (performance.now() < this.appendedAt + TRY_FOR_MS) this.storeSoon();
        return;
      }
      onStored();
    }
  }

  private nextPart(): NewLogPart {
    const lines: string[] = [];
    let characters = 0;
    for (const line of this.waiting) {
      if (lines.length > 0 && characters + line.length > PART_CHARACTERS) break;
      lines.push(line);
      characters += line.length;
    }
    const lastAt = lines.at(-1)?.split(' ', 1)[0] ?? '';
    return { run: this.options.run, firstLine: this.firstLine, lineCount: lines.length, lastAt, body: lines.join('') };
  }

  /** While a part was stored, lines may have been added, and the oldest of them dropped. */
  private takeUpTo(line: number): void {
    if (line > this.firstLine) this.takeWaiting(line - this.firstLine);
  }

  private takeWaiting(count: number): void {
    const taken = this.waiting.splice(0, count);
    this.waitingCharacters -= taken.reduce((sum, line) => sum + line.length, 0);
    this.firstLine += taken.length;
  }

  private async dropOldest(): Promise<void> {
    const { parts, owner, maxCharacters = MAX_CHARACTERS } = this.options;
    let total = this.stored.reduce((sum, { characters }) => sum + characters, 0);
    const surplus: number[] = [];
    while (total > maxCharacters && this.stored.length > 1) {
      const oldest = this.stored.shift();
      total -= oldest?.characters ?? 0;
      if (oldest) surplus.push(oldest.seq);
    }
    if (surplus.length > 0) await parts.remove(owner, surplus);
  }
}
