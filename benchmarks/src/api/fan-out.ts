import pg from 'pg';
import { Worker } from '../processes/worker.js';
import type { ApiBench, Measured } from './api-bench.js';
import { projectName } from './dataset.js';
import type { Endpoint } from './endpoint.js';
import { LIFECYCLE } from './operations.js';
import type { Seen, WatchersJob } from './watchers.main.js';

/** Watches of one Project while its clusters change. */
export const FAN_OUTS = ['watch', 'fan-out', 'million'] as const;
export type FanOutName = (typeof FAN_OUTS)[number];

export interface FanOutPlan {
  readonly watchers: number;
  /** Writes a second. */
  readonly rate: number;
  /** Stated where a number of events is to be reached, instead of a time. */
  readonly writes?: number;
  /** Milliseconds from the write to its event. */
  readonly p99?: number;
}

export const FAN_OUT_PLANS: Readonly<Record<FanOutName, FanOutPlan>> = {
  watch: { watchers: 100, rate: 50, p99: 100 },
  'fan-out': { watchers: 1_000, rate: 10 },
  million: { watchers: 100, rate: 200, writes: 10_000 },
};

export interface FanOutResult {
  readonly name: FanOutName;
  readonly plan: FanOutPlan;
  readonly crate: Seen & Measured;
  /** A server that sends the same bytes to all it knows, and does not keep the order of commits. */
  readonly fastify: Seen & Measured;
}

const WATCHED = projectName(0);
const PATH = `${LIFECYCLE}/namespaces/${WATCHED}/clusters?watch=true&resourceVersion=`;
const DRAIN_MS = 60_000;
const STORED = `SELECT revision::int FROM lifecycle.resource_changes
  WHERE kind = 'Cluster' AND namespace = $1 AND revision > $2 ORDER BY revision`;

let next = 2_000_000_000;
const NUMBERS_OF_A_LOAD = 1_000_000;

/** Opens the watches, writes, and compares what each brought with the log. */
export async function measureFanOut(
  bench: ApiBench,
  name: FanOutName,
  plan: FanOutPlan,
  seconds: number,
): Promise<FanOutResult> {
  const fastify = await fanOut(bench, 'fastify', plan, seconds);
  return { name, plan, fastify, crate: await fanOut(bench, 'crate', plan, seconds) };
}

async function fanOut(
  bench: ApiBench,
  subject: 'crate' | 'fastify',
  plan: FanOutPlan,
  seconds: number,
): Promise<Seen & Measured> {
  const workers = await Worker.start(new URL('./watchers.main.js', import.meta.url));
  const run = <R>(job: WatchersJob): Promise<R> => workers.run<R>(job);
  const log = new pg.Client({ connectionString: await bench.platform.databaseUrl() });
  await log.connect();
  try {
    const from = await headOf(log);
    const { endpoint, path } =
      subject === 'crate' ? { endpoint: bench.endpoints.crate, path: `${PATH}${from}` } : baseline(bench);
    await run({ open: { endpoint, path, count: plan.watchers } });
    next += NUMBERS_OF_A_LOAD;
    const duration = plan.writes === undefined ? seconds : plan.writes / plan.rate;
    const load = await bench.load({ subject, operation: 'touch', rate: plan.rate, seconds: duration, first: next });
    const expected = subject === 'crate' ? await revisionsSince(log, from) : numbers(load.latency.count);
    const seen = await run<Seen>({ collect: { expected, timeoutMs: DRAIN_MS } });
    return { ...load, ...seen };
  } finally {
    await log.end();
    await workers.stop();
  }
}

function baseline({ endpoints }: ApiBench): { readonly endpoint: Endpoint; readonly path: string } {
  return { endpoint: endpoints.fastify, path: '/watch' };
}

async function headOf(log: pg.Client): Promise<number> {
  const { rows } = await log.query<{ revision: number }>('SELECT revision::int FROM lifecycle.resource_head');
  return rows[0]?.revision ?? 0;
}

async function revisionsSince(log: pg.Client, revision: number): Promise<readonly number[]> {
  const { rows } = await log.query<{ revision: number }>(STORED, [WATCHED, revision]);
  return rows.map((row) => row.revision);
}

/** The bare server numbers what it sends. */
function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
