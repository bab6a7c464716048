import { setTimeout as delay } from 'node:timers/promises';
import type { Journal, Result } from '../journal/journal.js';
import { ChaosPlatform } from '../platform/chaos-platform.js';
import { Prng } from '../random/prng.js';
import { KillBench, type PointResult } from './kill-bench.js';
import { addressOf, parseAddress, type KillPoint } from './kill-point.js';
import { PointPool } from './point-pool.js';

/** A new platform after so many points, so that logs stay readable and nothing adds up. */
const POINTS_PER_PLATFORM = 60;
/** Platforms that start at once take each other's time. */
const STAGGER_MS = 5_000;
const MOST_FAILED_STARTS = 3;

export interface KillPointsOptions {
  /** Only points whose address has this in it. */
  readonly only?: string;
  /** Only so many, drawn by the seed. */
  readonly sample?: number;
  readonly seed: number;
  /** Platforms at work side by side. */
  readonly jobs: number;
  readonly boundMs: number;
  readonly leaseMs: number;
  readonly journal: Journal;
  /** Leaves out what the journal has. */
  readonly resume?: boolean;
  readonly say: (line: string) => void;
  readonly print: (line: string) => void;
}

export type KillPointsTally = Record<Result, number>;

/** Every address there is, by watching each operation once; when a run of the same code goes on, those that it began with. */
export async function listKillPoints({
  resume,
  journal,
  ...options
}: KillPointsOptions): Promise<readonly KillPoint[]> {
  const known = resume ? journal.currentAddresses : undefined;
  if (known) return known.map(parseAddress);
  const bench = await KillBench.start(options);
  try {
    const points = await bench.enumerate();
    journal.noteAddresses(points.map(addressOf));
    return points;
  } finally {
    await bench.stop({ keepsData: false });
  }
}

/** The points that are asked for, in an order drawn by the seed, so that the first of them are a fair sample. */
export function choose(points: readonly KillPoint[], options: KillPointsOptions): readonly KillPoint[] {
  const { only, sample, seed, resume, journal } = options;
  const matching = points.filter((point) => only === undefined || addressOf(point).includes(only));
  const random = new Prng(seed);
  const drawn = matching.map((point) => ({ point, at: random.fraction() })).sort((left, right) => left.at - right.at);
  const chosen = drawn.slice(0, sample ?? matching.length).map(({ point }) => point);
  return chosen.filter((point) => !resume || !journal.isDone(addressOf(point)));
}

export function replayed(address: string): readonly KillPoint[] {
  return [parseAddress(address)];
}

/** Runs points on several platforms; one that broke is kept, and another one takes its place. */
export async function runKillPoints(
  points: readonly KillPoint[],
  options: KillPointsOptions,
): Promise<KillPointsTally> {
  const tally: KillPointsTally = { sound: 0, violated: 0, 'not reached': 0, 'not judged': 0 };
  const pool = new PointPool(points);
  const workers = Array.from({ length: options.jobs }, async (_, index) => {
    await delay(index * STAGGER_MS);
    await work(pool, tally, options);
  });
  await Promise.all(workers);
  return tally;
}

async function work(pool: PointPool, tally: KillPointsTally, options: KillPointsOptions): Promise<void> {
  let failedStarts = 0;
  while (pool.size > 0) {
    const bench = await KillBench.start(options).catch((error: unknown) => {
      failedStarts += 1;
      if (failedStarts === MOST_FAILED_STARTS) throw error;
      options.say(String(error));
    });
    if (bench) await runOnOnePlatform(bench, pool, tally, options);
  }
}

async function runOnOnePlatform(
  bench: KillBench,
  pool: PointPool,
  tally: KillPointsTally,
  options: KillPointsOptions,
): Promise<void> {
  let keepsData = true;
  try {
    for (let count = 0; count < POINTS_PER_PLATFORM; count += 1) {
      const point = pool.take(bench.stage);
      if (!point) break;
      const result = await runOne(bench, point, options);
      tally[result] += 1;
      if (result === 'violated' || result === 'not judged') return;
    }
    keepsData = await hasLeaked(bench, tally, options);
  } finally {
    await bench.stop({ keepsData });
  }
}

/** Secrets are looked for every so many points; what is found at the end is of one of the last. */
async function hasLeaked(bench: KillBench, tally: KillPointsTally, options: KillPointsOptions): Promise<boolean> {
  const leaks = await bench.lastLook();
  for (const { invariant, message } of leaks)
    options.print(`${invariant}: ${message}; see ${bench.platform.directory}`);
  tally.violated += leaks.length > 0 ? 1 : 0;
  return leaks.length > 0;
}

async function runOne(bench: KillBench, point: KillPoint, options: KillPointsOptions): Promise<Result> {
  const { boundMs, journal, say } = options;
  const startedAt = performance.now();
  const note = (result: Result, more: object): Result => {
    const ms = Math.round(performance.now() - startedAt);
    say(`${result}: ${addressOf(point)} (${ms} ms)`);
    journal.note({ kind: 'point', what: addressOf(point), result, ms, boundMs, ...more });
    return result;
  };
  const { directory } = bench.platform;
  try {
    const result = await bench.run(point);
    tell(result, directory, options);
    if (result.violations.length > 0) return note('violated', { violations: result.violations, directory });
    return note(result.wasReached ? 'sound' : 'not reached', {});
  } catch (error) {
    if (ChaosPlatform.isBeingEnded) throw error;
    return note('not judged', { error: String(error), directory });
  }
}

function tell({ point, violations }: PointResult, directory: string, options: KillPointsOptions): void {
  const { print, boundMs, leaseMs } = options;
  if (violations.length === 0) return;
  const address = addressOf(point);
  print(`${address}: ${violations.length} violations`);
  for (const { invariant, message } of violations) print(`  ${invariant}: ${message}`);
  print(`  logs and data: ${directory}`);
  print(`  again: npm run chaos -- --replay '${address}' --bound ${boundMs / 1000} --lease ${leaseMs / 1000}`);
}
