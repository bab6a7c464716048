import { watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFenced, toPlatformError } from '@crate/errors';
import { parseState } from './state-file.js';

/** Stores a copy of the state. Idempotent. Throws what `isFenced` knows when a newer holder took over. */
export type StoreState = (bytes: Uint8Array) => Promise<void>;

export interface StateMirrorOptions {
  readonly file: string;
  readonly store: StoreState;
  /** A newer holder took over: the run must stop. */
  readonly onFenced: (error: unknown) => void;
  /** How long `finish` goes on trying. */
  readonly finishWithinMs?: number;
}

/**
 * Between two attempts at the store: a create writes the state some hundred times a second, and each copy is a whole version with a commit of
 * its own. Meanwhile the file itself is safe, and what goes with its host is found by its tags.
 */
const STORE_PAUSE_MS = 500;
/** Between two looks at a file that gave nothing to store, such as one that is being written. */
const LOOK_PAUSE_MS = 100;
/** The file system may not tell about every change. */
const POLL_MS = 1_000;
const FINISH_WITHIN_MS = 60_000;

/** Copies a state file to a store whenever it changes, one copy at a time, the newest only, until told to finish. */
export class StateMirror {
  private readonly stopped = new AbortController();
  private readonly watcher: FSWatcher | undefined;
  private readonly loop: Promise<void>;
  private wake: () => void = () => undefined;
  /** The file changed since the last attempt began. */
  private dirty = false;
  private mirrored: Buffer | undefined;
  private fenced = false;

  constructor(private readonly options: StateMirrorOptions) {
    this.watcher = this.watchDirectory();
    this.loop = this.run();
  }

  /** Stores what the file has at the end; throws Unavailable when the store did not take it in time, Conflict when fenced. */
  async finish(): Promise<void> {
    this.watcher?.close();
    this.stopped.abort();
    await this.loop;
    const deadline = performance.now() + (this.options.finishWithinMs ?? FINISH_WITHIN_MS);
    for (;;) {
      const error = await this.mirror();
      if (error === undefined) return;
      if (this.fenced || performance.now() >= deadline) throw toPlatformError(error);
      await sleep(STORE_PAUSE_MS);
    }
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      this.dirty = false;
      const before = this.mirrored;
      const error = await this.mirror();
      if (this.fenced) return;
      const isIdle = error === undefined && this.mirrored === before;
      await pause(isIdle ? LOOK_PAUSE_MS : STORE_PAUSE_MS, signal);
      if (error === undefined && !this.dirty) await Promise.race([this.nextChange(), pause(POLL_MS, signal)]);
    }
  }

  /** One attempt; gives the error instead of throwing it. */
  private async mirror(): Promise<unknown> {
    const bytes = await readFile(this.options.file).catch(() => undefined);
    // A file that is being written this instant is told about again when it is whole.
    if (!bytes || !parseState(bytes) || this.mirrored?.equals(bytes)) return undefined;
    try {
      await this.options.store(bytes);
      this.mirrored = bytes;
      return undefined;
    } catch (error) {
      if (isFenced(error) && !this.fenced) {
        this.fenced = true;
        this.options.onFenced(error);
      }
      return error;
    }
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  /** The directory, because the file may not be there yet. Where watching is not possible, the poll does. */
  private watchDirectory(): FSWatcher | undefined {
    const name = basename(this.options.file);
    try {
      const watcher = watch(dirname(this.options.file), (_, changed) => {
        if (changed !== name) return;
        this.dirty = true;
        this.wake();
      });
      return watcher.on('error', () => watcher.close());
    } catch {
      return undefined;
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
