import { setTimeout as delay } from 'node:timers/promises';
import { Latencies } from './latencies.js';
import { Failures, type LoadResult, type Send } from './load-result.js';

export interface OpenLoad {
  /** Requests a second, however long answers take. */
  readonly rate: number;
  readonly seconds: number;
  /** Number of the first request. */
  readonly first?: number;
}

/**
 * Sends requests at moments fixed beforehand and counts each from the moment it was meant for, so that a server that
 * stalls is charged with every request that fell into the stall (no coordinated omission).
 */
export async function runOpenLoad({ rate, seconds, first = 0 }: OpenLoad, send: Send): Promise<LoadResult> {
  const latency = new Latencies();
  const lateness = new Latencies();
  const failures = new Failures();
  const total = Math.round(rate * seconds);
  const startedAt = performance.now();
  const underWay = new Set<Promise<void>>();

  const sendOne = async (index: number): Promise<void> => {
    const intendedAt = startedAt + (index * 1000) / rate;
    lateness.add(performance.now() - intendedAt);
    try {
      await send(first + index);
      latency.add(performance.now() - intendedAt);
    } catch (error) {
      failures.add(error);
    }
  };

  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * rate) / 1000) + 1);
    for (; sent < due; sent += 1) {
      const request: Promise<void> = sendOne(sent).finally(() => underWay.delete(request));
      underWay.add(request);
    }
    await delay(1);
  }
  await Promise.all(underWay);
  const summary = latency.summary();
  const throughput = (summary.count * 1000) / (performance.now() - startedAt);
  return { latency: summary, lateness: lateness.summary(), throughput, ...failures.result() };
}
