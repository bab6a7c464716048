import { setTimeout as delay } from 'node:timers/promises';
import { Latencies, type LatencySummary } from '../load/latencies.js';
import { serveJobs } from '../processes/worker.js';
import { compareRevisions, type Comparison } from './compare-revisions.js';
import type { Endpoint } from './endpoint.js';
import { Watcher } from './watcher.js';

export interface OpenWatches {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly count: number;
}

export interface AwaitEvents {
  /** Revisions that every watch must bring, in this order; empty: as many events as this, whatever they are. */
  readonly expected: readonly number[];
  readonly timeoutMs: number;
}

export type WatchersJob = { readonly open: OpenWatches } | { readonly collect: AwaitEvents } | { readonly close: true };

/** What all watches together saw. */
export interface Seen extends Comparison {
  /** From the moment a write was sent to its event. */
  readonly latency: LatencySummary;
  readonly watchers: number;
  /** Watches that ended by themselves. */
  readonly ended: number;
}

/** Opened so many at a time, as connecting costs the server much more than watching. */
const AT_ONCE = 20;

let watchers: Watcher[] = [];
let latencies = new Latencies();

async function open({ endpoint, path, count }: OpenWatches): Promise<undefined> {
  latencies = new Latencies();
  for (let left = count; left > 0; left -= AT_ONCE) {
    const some = Array.from({ length: Math.min(left, AT_ONCE) }, () => Watcher.open(endpoint, path, latencies));
    watchers.push(...(await Promise.all(some)));
  }
  return undefined;
}

/** Waits until each watch has brought as much as is expected, and compares. */
async function collect({ expected, timeoutMs }: AwaitEvents): Promise<Seen> {
  const endsAt = performance.now() + timeoutMs;
  const isDone = (): boolean => watchers.every(({ revisions }) => revisions.length >= expected.length);
  while (!isDone() && performance.now() < endsAt) await delay(20);
  return {
    ...compareRevisions(
      expected,
      watchers.map(({ revisions }) => revisions),
    ),
    latency: latencies.summary(),
    watchers: watchers.length,
    ended: watchers.filter(({ endedBy }) => endedBy !== undefined).length,
  };
}

function close(): Promise<undefined> {
  for (const watcher of watchers) watcher.close();
  watchers = [];
  return Promise.resolve(undefined);
}

serveJobs((job: WatchersJob): Promise<unknown> => {
  if ('open' in job) return open(job.open);
  return 'collect' in job ? collect(job.collect) : close();
});
