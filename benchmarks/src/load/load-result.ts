import type { LatencySummary } from './latencies.js';

/** Does the request of this number; rejects when it is not answered as it should be. */
export type Send = (index: number) => Promise<void>;

/** What a load met with. */
export interface LoadResult {
  /** Of answered requests. */
  readonly latency: LatencySummary;
  /** How late this process itself was to send: what of the latencies is the generator's own. */
  readonly lateness: LatencySummary;
  /** Answered requests a second, until the last one was answered. */
  readonly throughput: number;
  readonly failures: number;
  /** One of the failures in words. */
  readonly failure?: string;
}

/** Counts failures and keeps the first one. */
export class Failures {
  count = 0;
  private first: string | undefined;

  add(error: unknown): void {
    this.count += 1;
    this.first ??= error instanceof Error ? error.message : String(error);
  }

  result(): Pick<LoadResult, 'failures' | 'failure'> {
    return { failures: this.count, ...(this.first === undefined ? {} : { failure: this.first }) };
  }
}
