import { isPlatformError } from '@crate/errors';
import { EXIT_CODES, exitCodeOf } from '../exit-codes.js';
import { errorLines } from './error-text.js';

/** Failures of a command that goes on with the rest, each told when it happens. */
export class Failures {
  private readonly codes = new Set<number>();

  /** Runs one part; gives undefined when it fails. What is not ours is thrown. */
  async attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.add(what, error);
      return undefined;
    }
  }

  add(what: string, error: unknown): void {
    if (!isPlatformError(error)) throw error;
    const [first = '', ...rest] = errorLines(error);
    console.error(`crate: ${what === '' || first.includes(what) ? first : `${what}: ${first}`}`);
    for (const line of rest) console.error(line);
    this.codes.add(exitCodeOf(error));
  }

  /** Sets the exit code: that of the failures when they are of one kind, else that of a failure. */
  settle(): void {
    if (this.codes.size === 0) return;
    process.exitCode = this.codes.size === 1 ? [...this.codes][0] : EXIT_CODES.failed;
  }
}
