import { setTimeout as delay } from 'node:timers/promises';
import type { LogChunk, ReadLogOptions } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import { LineClock } from './line-clock.js';
import type { LogParts } from './log-part.js';
import { RunLogReader } from './run-log-reader.js';
import { RunLogWriter } from './run-log-writer.js';

export interface RunLogsOptions {
  readonly parts: LogParts;
  readonly logger: Logger;
  /** How many runs of one object are kept. */
  readonly keepRuns: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

export interface FollowOptions extends ReadLogOptions {
  /** Whether nothing more is going to be written. */
  readonly isOver: () => Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/** A run may go on in another replica, of which only the database tells. */
const LOOK_EVERY_MS = 1_000;

/** Logs of the runs of one service: written while they go on, read from any replica. */
export class RunLogs {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly options: RunLogsOptions) {}

  /** Begins the log of a run, and forgets those of the oldest runs of its object. */
  async open(owner: string, run: string): Promise<RunLogWriter> {
    const { parts, logger, keepRuns, now } = this.options;
    const clock = new LineClock(now);
    try {
      clock.startAfter(await this.lastAt(owner));
      await parts.removeOldRuns(owner, Math.max(0, keepRuns - 1));
    } catch (error) {
      logger.warn('Looking through old logs failed', { owner, error });
    }
    return new RunLogWriter({ parts, owner, run, logger, clock, onStored: () => this.wake(owner) });
  }

  /** Time of the newest line. The run before may have been in another replica, whose clock is ahead of this one. */
  private async lastAt(owner: string): Promise<string | undefined> {
    const { parts } = this.options;
    const newest = await parts.findTail(owner, 1);
    if (!newest) return undefined;
    return (await parts.after(owner, newest.seq - 1, { limit: 1 })).at(0)?.lastAt;
  }

  /** The next part of the log of an object; waits for it if asked to. Memory is bounded by one chunk. */
  async read(owner: string, options: FollowOptions): Promise<LogChunk> {
    const reader = new RunLogReader({ parts: this.options.parts, owner, query: options.query });
    const until = Date.now() + options.waitMs;
    let { cursor } = options;
    for (;;) {
      // Asked first: what was written before it was over is there by then.
      const isOver = await options.isOver();
      const chunk = await reader.read(cursor);
      const isLast = chunk.text === '' && isOver;
      const leftMs = until - Date.now();
      if (chunk.text !== '' || isLast || leftMs <= 0 || options.signal?.aborted) {
        return { ...chunk, isComplete: isLast };
      }
      ({ cursor } = chunk);
      await this.news(owner, Math.min(leftMs, LOOK_EVERY_MS), options.signal);
    }
  }

  /** Idempotent. */
  async forget(owner: string): Promise<void> {
    await this.options.parts.removeAll(owner);
  }

  private wake(owner: string): void {
    for (const waiter of this.waiting.get(owner) ?? []) waiter();
  }

  private async news(owner: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController();
    const waiter = (): void => woken.abort();
    const waiters = this.waiting.get(owner) ?? new Set();
    this.waiting.set(owner, waiters.add(waiter));
    try {
      await delay(ms, undefined, { signal: signal ? AbortSignal.any([signal, woken.signal]) : woken.signal });
    } catch {
      // Woken, or asked to end: the caller looks which.
    } finally {
      waiters.delete(waiter);
      if (waiters.size === 0) this.waiting.delete(owner);
    }
  }
}
