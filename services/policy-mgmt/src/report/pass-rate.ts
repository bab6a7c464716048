import { setTimeout as delay } from 'node:timers/promises';

export interface PassRateOptions {
  /** Passes that may begin in a second. */
  readonly perSecond: number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Spreads passes over time: each has its turn so long after the one before it, however many are due. One that comes alone does not wait. What
 * becomes due meanwhile for a key that is due already is one pass, so a burst costs no more than its clusters.
 */
export class PassRate {
  private freeAtMs = 0;

  constructor(private readonly options: PassRateOptions) {}

  /** Resolves when the pass may begin. Rejects when the signal aborts before. */
  async turn(signal: AbortSignal): Promise<void> {
    const { perSecond, now = () => performance.now(), sleep = sleepUntil } = this.options;
    const atMs = Math.max(now(), this.freeAtMs);
    this.freeAtMs = atMs + 1_000 / perSecond;
    const waitMs = atMs - now();
    if (waitMs > 0) await sleep(waitMs, signal);
  }
}

async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}
