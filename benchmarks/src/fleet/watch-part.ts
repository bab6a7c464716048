import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '@crate/api';
import { Latencies, type LatencySummary } from '../load/latencies.js';
import type { Index, LifecycleFleet } from './lifecycle-fleet.js';
import { clusterAt } from './many-clusters.js';

const READERS = 50;
const CHANGES_PER_SECOND = 50;
const TICK_MS = 20;
/** No multiple of how often pages are sent, so that every delay is met. */
const MARK_MS = 1_170;

export interface WatchPlan {
  readonly clusters: number;
  readonly seconds: number;
  /** Whether all readers ask the same, as people before one dashboard do, or each something else. */
  readonly isSame: boolean;
}

export interface WatchResult extends WatchPlan {
  readonly readers: number;
  /** From a change to a reader that has the page with it. */
  readonly lag: LatencySummary;
  readonly pagesPerSecondOfReader: number;
  /** Share of one processor that the process took, readers included. */
  readonly processor: number;
}

/** A fleet that changes all the time, with many watching it over HTTP. */
export async function measureWatches(fleet: LifecycleFleet, plan: WatchPlan): Promise<WatchResult> {
  const index = new fleet.FleetIndex();
  for (let number = 0; number < plan.clusters; number += 1) index.put(clusterAt(number));
  index.confirm('1', Infinity);
  const { server, port } = await serve(fleet, index);
  const readers = await Promise.all(
    Array.from({ length: READERS }, async (_, number) => Reader.open(port, plan.isSame ? 100 : 100 + number)),
  );
  try {
    await delay(MARK_MS);
    return await change(index, plan, readers);
  } finally {
    for (const reader of readers) reader.close();
    server.closeAllConnections();
    server.close();
  }
}

async function change(index: Index, plan: WatchPlan, readers: readonly Reader[]): Promise<WatchResult> {
  const lag = new Latencies();
  const before = process.cpuUsage();
  const pagesBefore = pagesOf(readers);
  const begun = performance.now();
  let changes = 0;
  for (let mark = 1; mark * MARK_MS <= Math.max(plan.seconds * 1000, MARK_MS); mark += 1) {
    const text = `mark-${mark}-of-all`;
    for (const reader of readers) reader.await(text, performance.now(), lag);
    index.put(marked(text));
    while (performance.now() - begun < mark * MARK_MS) {
      for (; changes < ((performance.now() - begun) / 1000) * CHANGES_PER_SECOND; changes += 1) {
        index.put(clusterAt((changes * 7) % plan.clusters, changes % 5));
      }
      await delay(TICK_MS);
    }
  }
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    ...plan,
    readers: readers.length,
    lag: lag.summary(),
    pagesPerSecondOfReader: (pagesOf(readers) - pagesBefore) / seconds / readers.length,
    processor: (user + system) / 1e6 / seconds,
  };
}

function pagesOf(readers: readonly Reader[]): number {
  return readers.reduce((sum, { pages }) => sum + pages, 0);
}

/** A cluster that is first on every page, and says which change it is of. */
function marked(text: string): Cluster {
  const cluster = clusterAt(20);
  const failure = { code: 'Marked', message: text, retryable: false };
  const conditions = (cluster.status?.conditions ?? []).map((condition) => ({
    ...condition,
    lastTransitionTime: '2020-01-01T00:00:00Z',
  }));
  return { ...cluster, status: { ...cluster.status, conditions, failure } };
}

async function serve(fleet: LifecycleFleet, index: Index): Promise<{ server: Server; port: number }> {
  const pages = new fleet.FleetPages(index);
  const server = createServer((asked, response) => {
    const query = fleet.parseFleetQuery(new URL(asked.url ?? '/', 'http://bench').searchParams);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const visible = (): Promise<{ key: string }> => Promise.resolve({ key: '*' });
    const fail = (error: unknown): void => void response.destroy(error instanceof Error ? error : undefined);
    fleet.streamFleet({ response, signal: gone.signal, index, pages, query, visible, onError: fail }).catch(fail);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Counts pages, and looks for what it waits for. */
class Reader {
  pages = 0;
  private rest = '';
  private wanted: { readonly text: string; readonly at: number; readonly lag: Latencies } | undefined;

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8').on('data', (chunk: string) => this.read(chunk));
  }

  static async open(port: number, limit: number): Promise<Reader> {
    const sent = request({ port, path: `/fleet/clusters?watch=true&limit=${limit}`, agent: false });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return new Reader(response);
  }

  await(text: string, at: number, lag: Latencies): void {
    this.wanted = { text, at, lag };
  }

  close(): void {
    this.response.destroy();
  }

  private read(chunk: string): void {
    const text = this.rest + chunk;
    this.pages += chunk.split('{"type":"PAGE"').length - 1;
    if (this.wanted && text.includes(this.wanted.text)) {
      this.wanted.lag.add(performance.now() - this.wanted.at);
      this.wanted = undefined;
    }
    this.rest = chunk.slice(-64);
  }
}
