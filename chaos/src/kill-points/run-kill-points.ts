import { Prng } from '../random/prng.js';
import { KillBench, type PointResult } from './kill-bench.js';
import { addressOf, OPERATIONS, parseAddress, type KillPoint } from './kill-point.js';

/** A new platform after so many points, so that logs stay readable and nothing adds up. */
const POINTS_PER_PLATFORM = 40;

export interface KillPointsOptions {
  /** Only points whose address has this in it. */
  readonly only?: string;
  /** Only so many, drawn by the seed. */
  readonly sample?: number;
  readonly seed: number;
  readonly boundMs: number;
  readonly say: (line: string) => void;
  readonly print: (line: string) => void;
}

export interface KillPointsTally {
  readonly points: number;
  readonly notReached: number;
  readonly broken: number;
}

/** Every address there is, by watching each operation once. */
export async function listKillPoints({ boundMs }: Pick<KillPointsOptions, 'boundMs'>): Promise<readonly KillPoint[]> {
  const bench = await KillBench.start(boundMs);
  try {
    return await bench.enumerate();
  } finally {
    await bench.stop({ keepsData: false });
  }
}

/** Runs points one after the other; a platform that broke is kept, and the next one begins anew. */
export async function runKillPoints(
  points: readonly KillPoint[],
  options: KillPointsOptions,
): Promise<KillPointsTally> {
  const tally = { points: 0, notReached: 0, broken: 0 };
  for (let rest = points; rest.length > 0;) {
    const done = await runOnOnePlatform(rest.slice(0, POINTS_PER_PLATFORM), options);
    tally.points += done.length;
    tally.notReached += done.filter(({ wasReached }) => !wasReached).length;
    tally.broken += done.filter(({ violations }) => violations.length > 0).length;
    rest = rest.slice(done.length);
  }
  return tally;
}

/** The points that are asked for, in an order in which each operation leads to the next. */
export function choose(points: readonly KillPoint[], { only, sample, seed }: KillPointsOptions): readonly KillPoint[] {
  const matching = points.filter((point) => only === undefined || addressOf(point).includes(only));
  const random = new Prng(seed);
  const drawn = matching.map((point) => ({ point, at: random.fraction() })).sort((left, right) => left.at - right.at);
  return interleave(drawn.slice(0, sample ?? matching.length).map(({ point }) => point));
}

export function replayed(address: string): readonly KillPoint[] {
  return [parseAddress(address)];
}

async function runOnOnePlatform(points: readonly KillPoint[], options: KillPointsOptions): Promise<PointResult[]> {
  const bench = await KillBench.start(options.boundMs);
  const done: PointResult[] = [];
  let keepsData = true;
  try {
    for (const point of points) {
      options.say(addressOf(point));
      const result = await bench.run(point);
      done.push(result);
      tell(result, bench.platform.directory, options);
      if (result.violations.length > 0) return done;
    }
    keepsData = false;
    return done;
  } finally {
    await bench.stop({ keepsData });
  }
}

function tell({ point, wasReached, violations }: PointResult, directory: string, { print }: KillPointsOptions): void {
  const address = addressOf(point);
  if (!wasReached) print(`${address}: not reached`);
  if (violations.length === 0) return;
  print(`${address}: ${violations.length} violations`);
  for (const { invariant, message } of violations) print(`  ${invariant}: ${message}`);
  print(`  logs and data: ${directory}`);
  print(`  again: npm run chaos -- --replay '${address}'`);
}

function interleave(points: readonly KillPoint[]): readonly KillPoint[] {
  const queues = OPERATIONS.map((operation) => points.filter((point) => point.operation === operation));
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => queues.flatMap((queue) => queue[index] ?? [])).flat();
}
