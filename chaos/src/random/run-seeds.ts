import { LEASE_MS } from '../platform/chaos-platform.js';
import { runSchedule } from './run-schedule.js';
import { scheduleOf, type ScheduledStep } from './schedule.js';

export interface SeedsOptions {
  readonly seed: number;
  readonly seeds: number;
  readonly clusters: number;
  readonly minutes: number;
  readonly replicas: number;
  /** Seconds. */
  readonly bound: number;
  /** Only prints the schedules. */
  readonly list?: boolean;
  readonly say: (line: string) => void;
  readonly print: (line: string) => void;
}

/** Runs schedules of several seeds, one after the other; false when one of them broke an invariant. */
export async function runSeeds(options: SeedsOptions): Promise<boolean> {
  let broken = 0;
  for (let seed = options.seed; seed < options.seed + options.seeds; seed += 1) {
    if (!(await runSeed(seed, options))) broken += 1;
  }
  if (!options.list) options.print(`${options.seeds} seeds, ${broken} with violations`);
  return broken === 0;
}

async function runSeed(seed: number, options: SeedsOptions): Promise<boolean> {
  const { clusters, minutes, replicas, bound, say, print } = options;
  const steps = scheduleOf({ seed, clusters, minutes, replicas, leaseMs: LEASE_MS });
  if (options.list) {
    print([`seed ${seed}`, ...steps.map(format)].join('\n'));
    return true;
  }
  say(`Seed ${seed}`);
  const { violations, directory } = await runSchedule({ steps, replicas, boundMs: bound * 1000, say });
  print(`seed ${seed}: ${violations.length} violations`);
  if (violations.length === 0) return true;
  for (const { invariant, message } of violations) print(`  ${invariant}: ${message}`);
  print(['  schedule:', ...steps.map(format)].join('\n'));
  const again = `--seed ${seed} --clusters ${clusters} --minutes ${minutes} --replicas ${replicas} --bound ${bound}`;
  print(`  logs and data: ${directory}\n  again: npm run chaos -- ${again}`);
  return false;
}

function format({ atMs, what }: ScheduledStep): string {
  return `${String(atMs).padStart(10)} ${JSON.stringify(what)}`;
}
