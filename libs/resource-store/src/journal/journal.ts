/**
 * An ordered record of entries that outlives the process, for a store that is otherwise in memory.
 * Calls must not overlap with `replace`.
 */
export abstract class Journal {
  /** Everything appended before it was opened, oldest first. */
  abstract read(): Promise<readonly unknown[]>;
  /** Hands the entry over so that it survives this process; `flush` makes it survive the machine. Throws Unavailable, then nothing was appended. */
  abstract append(entry: unknown): void;
  /** Resolves when all that was appended before the call is on the disk. Many callers share one sync. */
  abstract flush(): Promise<void>;
  /** Puts `entries` in the place of everything before, or, when it is interrupted, leaves everything as it was. */
  abstract replace(entries: Iterable<unknown>): Promise<void>;
  abstract close(): Promise<void>;
}
