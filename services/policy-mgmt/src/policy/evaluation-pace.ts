import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@crate/errors';

export interface EvaluationPaceOptions {
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** After an evaluation none is begun for so many times as long as it took: reviews, without which nothing is created, have the rest of the thread. */
const RESTS = 4;
/** Whoever would wait longer, or behind so many, is told to come back. Each holds a document of some MB. */
const MOST_WAIT_MS = 5_000;
const MOST_WAITING = 20;

/**
 * Keeps evaluations that anybody may ask for to a fifth of the time. One that comes alone, or after short ones, does not wait to speak of.
 */
export class EvaluationPace {
  private freeAtMs = 0;
  private waiting = 0;

  constructor(private readonly options: EvaluationPaceOptions = {}) {}

  /** Does the work, which takes the thread, when its turn has come; what it throws is passed on. Rejects with TooManyRequests. */
  async run<T>(work: () => T): Promise<T> {
    const latestMs = this.nowMs() + MOST_WAIT_MS;
    // Others may have had their turn meanwhile.
    while (this.freeAtMs > this.nowMs()) await this.wait(latestMs);
    const startedAtMs = this.nowMs();
    try {
      return work();
    } finally {
      const endedAtMs = this.nowMs();
      this.freeAtMs = endedAtMs + RESTS * (endedAtMs - startedAtMs);
    }
  }

  private async wait(latestMs: number): Promise<void> {
    if (this.freeAtMs > latestMs || this.waiting >= MOST_WAITING) throw this.tooMany();
    const { sleep = delay } = this.options;
    this.waiting += 1;
    try {
      await sleep(Math.ceil(this.freeAtMs - this.nowMs()));
    } finally {
      this.waiting -= 1;
    }
  }

  private tooMany(): PlatformError {
    const retryAfterMs = Math.max(1_000, this.freeAtMs - this.nowMs());
    return new PlatformError('TooManyRequests', 'too many evaluations of documents, please try again later', {
      details: { retryAfterMs },
    });
  }

  private nowMs(): number {
    return this.options.now?.() ?? performance.now();
  }
}
