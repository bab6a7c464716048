import { setTimeout as delay } from 'node:timers/promises';

export interface PassRateOptions {
  /** Passes that may begin in a second. */
  readonly perSecond: number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Between two passes there is nothing to do with reports for so many times as long as the one took. */
const RESTS = 4;
/** And no longer than this, however long a pass took: what is due is begun within a second of the end of the one before. */
const LONGEST_REST_MS = 1_000;

/**
 * Spreads passes over time: each begins so long after the one before it, however many are due, and later where that took long, as it does when there is
 * other work to be done. One that comes alone does not wait. What becomes due meanwhile for a key that is due already is one pass, so a burst costs
 * no more than its clusters.
 */
export class PassRate {
  private freeAtMs = 0;

  constructor(private readonly options: PassRateOptions) {}

  /** Does the work when its turn has come; what it fails of is passed on. Rejects when the signal aborts before. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.turn(signal);
    const startedAtMs = this.nowMs();
    try {
      return await work();
    } finally {
      const endedAtMs = this.nowMs();
      const restMs = Math.min(RESTS * (endedAtMs - startedAtMs), LONGEST_REST_MS);
      this.freeAtMs = Math.max(this.freeAtMs, endedAtMs + restMs);
    }
  }

  private async turn(signal: AbortSignal): Promise<void> {
    const { perSecond, sleep = sleepUntil } = this.options;
    const atMs = Math.max(this.nowMs(), this.freeAtMs);
    this.freeAtMs = atMs + 1_000 / perSecond;
    const waitMs = atMs - this.nowMs();
    if (waitMs > 0) await sleep(waitMs, signal);
  }

  private nowMs(): number {
    return this.options.now?.() ?? performance.now();
  }
}

async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}
