import { mkdir, open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { invariant, unavailable } from '@crate/errors';
import { syncDirectory } from '@crate/resource-store';

/** How many superseded lines the journal may hold per live entry before it is rewritten. */
const WASTE_PER_ENTRY = 4;
const SMALLEST_COMPACTION = 2_000;

const JOURNAL = 'journal.ndjson';
const SNAPSHOT = 'snapshot.ndjson';

interface Line {
  readonly key: string;
  /** Absent: the entry was deleted. */
  readonly value?: unknown;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * A map of JSON values in one directory that survives the death of the process at any instruction.
 *
 * A change is visible to readers at once and durable once `flush` resolves; changes made meanwhile share one fsync.
 * On disk: a snapshot and the journal of changes after it. Replaying a change twice is harmless, so the snapshot may
 * be newer than the start of the journal. One process at a time may have a directory open.
 */
export class DurableMap {
  private readonly entries = new Map<string, unknown>();
  private pending: string[] = [];
  private waiters: Waiter[] = [];
  private writing: Promise<void> | undefined;
  private failure: Error | undefined;

  private constructor(
    private readonly directory: string,
    private journal: FileHandle,
    private journalLines: number,
  ) {}

  /** Opens the map; the directory is made when absent. Throws Invariant when a file was tampered with. */
  static async open(directory: string): Promise<DurableMap> {
    await mkdir(directory, { recursive: true });
    const snapshot = parseLines(await readIfPresent(join(directory, SNAPSHOT)), SNAPSHOT);
    const text = await readIfPresent(join(directory, JOURNAL));
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const changes = parseLines(whole, JOURNAL);
    const journal = await open(join(directory, JOURNAL), 'a');
    // The last line is torn when the process died while writing it; nobody was told that it was kept.
    if (whole.length < text.length) await journal.truncate(Buffer.byteLength(whole));
    const map = new DurableMap(directory, journal, changes.length);
    for (const line of [...snapshot, ...changes]) map.replay(line);
    return map;
  }

  get(key: string): unknown {
    return this.entries.get(key);
  }

  /** Entries whose key starts with `prefix`, in the order they were first put. */
  *list(prefix: string): Generator<[string, unknown]> {
    for (const entry of this.entries) {
      if (entry[0].startsWith(prefix)) yield entry;
    }
  }

  put(key: string, value: unknown): void {
    this.entries.set(key, value);
    this.append({ key, value });
  }

  delete(key: string): void {
    if (this.entries.delete(key)) this.append({ key });
  }

  /** Resolves once every change made so far is on disk; rejects with Unavailable when the disk refuses. */
  flush(): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    if (this.pending.length === 0 && !this.writing) return Promise.resolve();
    const written = new Promise<void>((resolve, reject) => this.waiters.push({ resolve, reject }));
    this.writing ??= this.write();
    return written;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.journal.close();
  }

  private append(line: Line): void {
    this.pending.push(`${JSON.stringify(line)}\n`);
  }

  private replay({ key, value }: Line): void {
    if (value === undefined) this.entries.delete(key);
    else this.entries.set(key, value);
  }

  private async write(): Promise<void> {
    // One turn later, so that changes of the same turn share the write.
    await Promise.resolve();
    while (this.waiters.length > 0) {
      const lines = this.pending.splice(0);
      const waiters = this.waiters.splice(0);
      try {
        if (lines.length > 0) await this.persist(lines);
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        this.fail(error, waiters);
        break;
      }
    }
    this.writing = undefined;
  }

  private async persist(lines: readonly string[]): Promise<void> {
    await this.journal.appendFile(lines.join(''));
    await this.journal.datasync();
    this.journalLines += lines.length;
    if (this.isWasteful()) await this.compact();
  }

  /** After a failed write the file's end is unknown: nothing more may be promised. */
  private fail(error: unknown, waiters: readonly Waiter[]): void {
    this.failure = unavailable('The journal cannot be written', error);
    for (const { reject } of [...waiters, ...this.waiters.splice(0)]) reject(this.failure);
  }

  private isWasteful(): boolean {
    return this.journalLines > Math.max(SMALLEST_COMPACTION, this.entries.size * (1 + WASTE_PER_ENTRY));
  }

  private async compact(): Promise<void> {
    const lines = [...this.entries].map(([key, value]) => `${JSON.stringify({ key, value })}\n`);
    const next = await open(join(this.directory, `${SNAPSHOT}.new`), 'w');
    await next.writeFile(lines.join(''));
    await next.sync();
    await next.close();
    await rename(join(this.directory, `${SNAPSHOT}.new`), join(this.directory, SNAPSHOT));
    await syncDirectory(this.directory);
    await this.journal.truncate(0);
    this.journalLines = 0;
  }
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function parseLines(text: string, file: string): Line[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Line;
    } catch (error) {
      throw invariant(`Line ${index + 1} of ${file} is damaged`, error);
    }
  });
}
