import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { readEnd } from './log-end.js';

const EVERY_MS = 60_000;
const LIMIT_BYTES = 20 * 1024 * 1024;

export interface LimitedLog {
  /** Somebody appends to it, and never opens it again. */
  readonly file: string;
  /** Where its end is kept once it begins anew. */
  readonly former: string;
}

/** Keeps logs from filling the disk: one that is longer than 20 MiB begins anew. */
export class LogLimit {
  private readonly timer: NodeJS.Timeout;
  private readonly logs = new Map<string, LimitedLog>();
  private readonly failures = new Map<string, string>();
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly say: (line: string) => void) {
    this.timer = setInterval(() => {
      this.work = this.work.then(() => this.look());
    }, EVERY_MS).unref();
  }

  /** From here on the file is looked after, whether it is there yet or not. Idempotent. */
  add(log: LimitedLog): void {
    this.logs.set(log.file, log);
  }

  /** Resolves once no log is touched any more. Idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.work;
  }

  private async look(): Promise<void> {
    for (const log of this.logs.values()) {
      await beginAnew(log).then(
        () => this.failures.delete(log.file),
        (error: unknown) => this.fail(log, error),
      );
    }
  }

  /** Said once, however often it is tried. */
  private fail({ file }: LimitedLog, error: unknown): void {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    const message = String(error);
    if (this.failures.get(file) !== message) this.say(`Cannot keep ${file} short: ${message}`);
    this.failures.set(file, message);
  }
}

/** Whoever is killed within it has lost nothing of the log. */
async function beginAnew({ file, former }: LimitedLog): Promise<void> {
  // The user of a server may put a link into the server's own directory, and we may be root.
  await using log = await open(file, constants.O_RDWR | constants.O_NOFOLLOW);
  const { size } = await log.stat();
  if (size <= LIMIT_BYTES) return;
  await writeFile(former, await readEnd(log, LIMIT_BYTES));
  // In place, as its writer holds it open. What is written between the two is lost.
  await log.truncate();
}
