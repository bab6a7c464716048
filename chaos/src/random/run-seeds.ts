import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Journal, Result } from '../journal/journal.js';
import { ChaosPlatform } from '../platform/chaos-platform.js';
import { ScheduleBench } from './schedule-bench.js';
import { scheduleOf, type ScheduledStep } from './schedule.js';

/** A new platform after so many schedules, so that logs stay readable. */
const SEEDS_PER_PLATFORM = 8;
const STAGGER_MS = 10_000;
const DIGEST_LENGTH = 8;

export interface SeedsOptions {
  readonly seed: number;
  readonly seeds: number;
  readonly clusters: number;
  readonly minutes: number;
  readonly replicas: number;
  /** Hosts that they are on; with 2, at least as many replicas. */
  readonly hosts: number;
  /** Platforms at work side by side. */
  readonly jobs: number;
  /** Seconds. */
  readonly bound: number;
  readonly leaseMs: number;
  readonly journal: Journal;
  /** Leaves out what the journal has. */
  readonly resume?: boolean;
  /** Only prints the schedules. */
  readonly list?: boolean;
  readonly say: (line: string) => void;
  readonly print: (line: string) => void;
}

interface Drawn {
  /** Arguments that draw it again. */
  readonly what: string;
  readonly steps: readonly ScheduledStep[];
  readonly digest: string;
}

/** Runs schedules of several seeds; false when one of them broke an invariant or could not be judged. */
export async function runSeeds(options: SeedsOptions): Promise<boolean> {
  const seeds = Array.from({ length: options.seeds }, (_, index) => options.seed + index);
  const drawn = seeds.map((seed) => draw(seed, options));
  if (options.list) {
    for (const { what, steps } of drawn) options.print([what, ...steps.map(format)].join('\n'));
    return true;
  }
  const left = drawn.filter(({ what, digest }) => !options.resume || !options.journal.isDone(what, digest));
  const results: Result[] = [];
  const workers = Array.from({ length: options.jobs }, async (_, index) => {
    await delay(index * STAGGER_MS);
    while (left.length > 0) results.push(...(await runOnOnePlatform(left, options)));
  });
  await Promise.all(workers);
  const broken = results.filter((result) => result !== 'sound').length;
  options.print(`${results.length} seeds, ${broken} with violations`);
  return broken === 0;
}

function draw(seed: number, { clusters, minutes, replicas, hosts, leaseMs }: SeedsOptions): Drawn {
  const steps = scheduleOf({ seed, clusters, minutes, replicas, hosts, leaseMs });
  const digest = createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, DIGEST_LENGTH);
  const where = `--replicas ${replicas}${hosts > 1 ? ` --hosts ${hosts}` : ''}`;
  return { what: `--seed ${seed} --clusters ${clusters} --minutes ${minutes} ${where}`, steps, digest };
}

async function runOnOnePlatform(left: Drawn[], options: SeedsOptions): Promise<readonly Result[]> {
  const bench = await ScheduleBench.start(options);
  const results: Result[] = [];
  let keepsData = true;
  try {
    while (results.length < SEEDS_PER_PLATFORM && left.length > 0) {
      const next = left.shift();
      if (next) results.push(await runOne(bench, next, options));
      if (results.at(-1) !== 'sound') return results;
    }
    keepsData = false;
    return results;
  } finally {
    await bench.stop({ keepsData });
  }
}

async function runOne(bench: ScheduleBench, drawn: Drawn, options: SeedsOptions): Promise<Result> {
  const { bound, leaseMs, journal, say } = options;
  const startedAt = performance.now();
  const boundMs = bound * 1000;
  const { what, digest: schedule, steps } = drawn;
  const { directory } = bench;
  const note = (result: Result, more: object): Result => {
    const ms = Math.round(performance.now() - startedAt);
    say(`${result}: ${what} (${ms} ms)`);
    journal.note({ kind: 'seed', what, schedule, result, ms, boundMs, ...more });
    return result;
  };
  say(what);
  try {
    const violations = await bench.run({ steps, boundMs, say });
    if (violations.length === 0) return note('sound', {});
    options.print(`${what}: ${violations.length} violations`);
    for (const { invariant, message } of violations) options.print(`  ${invariant}: ${message}`);
    options.print(['  schedule:', ...steps.map(format)].join('\n'));
    options.print(
      `  logs and data: ${directory}\n  again: npm run chaos -- ${what} --bound ${bound} --lease ${leaseMs / 1000}`,
    );
    return note('violated', { violations, directory });
  } catch (error) {
    if (ChaosPlatform.isBeingEnded) throw error;
    return note('not judged', { error: String(error), directory });
  }
}

function format({ atMs, what }: ScheduledStep): string {
  return `${String(atMs).padStart(10)} ${JSON.stringify(what)}`;
}
