import { invariant, unavailable } from '@crate/errors';
import { closeSync, fsync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Journal } from './journal.js';
import { syncDirectory } from './sync-directory.js';

const FILE = 'journal.jsonl';
const sync = promisify(fsync);

/**
 * Opens (or begins) the journal of a directory: one JSON value a line. A last line that was cut off by a crash is dropped;
 * any other damage throws Invariant, because what follows it cannot be trusted. One process at a time.
 */
export async function openFileJournal(directory: string): Promise<Journal> {
  await mkdir(directory, { recursive: true });
  const file = openSync(join(directory, FILE), 'a+', 0o600);
  const { entries, goodBytes } = parseLines(await readFile(join(directory, FILE)));
  ftruncateSync(file, goodBytes);
  return new FileJournal(directory, file, entries);
}

class FileJournal extends Journal {
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(
    private readonly directory: string,
    private file: number,
    private found: readonly unknown[],
  ) {
    super();
  }

  /** May be called once: the entries are not kept in memory afterwards. */
  async read(): Promise<readonly unknown[]> {
    const entries = this.found;
    this.found = [];
    return Promise.resolve(entries);
  }

  append(entry: unknown): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    const before = fstatSync(this.file).size;
    try {
      for (let written = 0; written < line.length;) written += writeSync(this.file, line, written);
    } catch (error) {
      ftruncateSync(this.file, before); // Half a line in the middle would make the rest unreadable.
      throw unavailable('The journal cannot be written', error);
    }
  }

  async flush(): Promise<void> {
    // A sync that runs already may have begun before the caller's append, so it waits for the one after.
    this.next ??= this.running.then(async () => {
      this.next = undefined;
      this.running = sync(this.file);
      await this.running;
    });
    try {
      await this.next;
    } catch (error) {
      // A sync that failed once may succeed the next time although the data is lost, so from now on all of them fail.
      throw unavailable('The journal cannot be synced to the disk', error);
    }
  }

  async replace(entries: Iterable<unknown>): Promise<void> {
    await this.flush();
    const temporary = join(this.directory, `${FILE}.new`);
    const target = await open(temporary, 'w', 0o600);
    try {
      for (const entry of entries) await target.write(`${JSON.stringify(entry)}\n`);
      await target.sync();
    } finally {
      await target.close();
    }
    await rename(temporary, join(this.directory, FILE));
    await syncDirectory(this.directory);
    closeSync(this.file);
    this.file = openSync(join(this.directory, FILE), 'a', 0o600);
  }

  async close(): Promise<void> {
    await this.flush();
    closeSync(this.file);
  }
}

function parseLines(content: Buffer): { readonly entries: readonly unknown[]; readonly goodBytes: number } {
  const goodBytes = content.lastIndexOf('\n') + 1;
  const lines = content.subarray(0, goodBytes).toString('utf8').split('\n').slice(0, -1);
  return { goodBytes, entries: lines.map(parseLine) };
}

function parseLine(line: string, index: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw invariant(`The journal is damaged at line ${index + 1}`, error);
  }
}
