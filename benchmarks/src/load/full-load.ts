import { Latencies } from './latencies.js';
import { Failures, type LoadResult, type Send } from './load-result.js';

export interface FullLoad {
  /** Requests under way at any time. */
  readonly concurrency: number;
  readonly seconds: number;
  /** Number of the first request. */
  readonly first?: number;
}

/** As many requests as are answered: each answer makes room for the next. For throughput; latencies are the queue's. */
export async function runFullLoad({ concurrency, seconds, first = 0 }: FullLoad, send: Send): Promise<LoadResult> {
  const latency = new Latencies();
  const failures = new Failures();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let next = first;

  const work = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      try {
        await send(next++);
        latency.add(performance.now() - sentAt);
      } catch (error) {
        failures.add(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const summary = latency.summary();
  const throughput = (summary.count * 1000) / (performance.now() - startedAt);
  return { latency: summary, lateness: new Latencies().summary(), throughput, ...failures.result() };
}
