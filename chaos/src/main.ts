import { Command, InvalidArgumentError } from 'commander';
import { LEASE_MS } from './platform/chaos-platform.js';
import { runSchedule } from './random/run-schedule.js';
import { scheduleOf } from './random/schedule.js';

interface Options {
  readonly seed: number;
  readonly seeds: number;
  readonly clusters: number;
  readonly minutes: number;
  readonly replicas: number;
  readonly bound: number;
  readonly list?: boolean;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const program = new Command('chaos')
  .description(
    'Breaks whole platforms, heals them, and checks from outside that nothing was lost, doubled or left behind',
  )
  .option('--seed <number>', 'what the first schedule is drawn by', positive, 1)
  .option('--seeds <number>', 'how many schedules, each of the next seed', positive, 1)
  .option('--clusters <number>', 'how many clusters users work with', positive, 3)
  .option('--minutes <number>', 'how long a platform is used and broken', positive, 1)
  .option('--replicas <number>', 'processes of each service', positive, 1)
  .option('--bound <seconds>', 'how long everything may take after healing', positive, 180)
  .option('--list', 'print the schedules and run none')
  .action(async (options: Options) => {
    let broken = 0;
    for (let seed = options.seed; seed < options.seed + options.seeds; seed += 1)
      broken += await runSeed(seed, options);
    if (options.list) return;
    process.stdout.write(`${options.seeds} seeds, ${broken} with violations\n`);
    process.exitCode = broken > 0 ? 1 : 0;
  });

/** Gives 1 when something was wrong. */
async function runSeed(seed: number, options: Options): Promise<number> {
  const { clusters, minutes, replicas, bound } = options;
  const steps = scheduleOf({ seed, clusters, minutes, replicas, leaseMs: LEASE_MS });
  if (options.list) {
    process.stdout.write(`seed ${seed}\n`);
    for (const { atMs, what } of steps) process.stdout.write(`${String(atMs).padStart(8)} ${JSON.stringify(what)}\n`);
    return 0;
  }
  say(`Seed ${seed}`);
  const { violations, directory } = await runSchedule({ steps, replicas, boundMs: bound * 1000, say });
  process.stdout.write(`seed ${seed}: ${violations.length} violations\n`);
  for (const { invariant, message } of violations) process.stdout.write(`  ${invariant}: ${message}\n`);
  if (violations.length === 0) return 0;
  const again = `--seed ${seed} --clusters ${clusters} --minutes ${minutes} --replicas ${replicas} --bound ${bound}`;
  process.stdout.write(`  logs and data: ${directory}\n  again: npm run chaos -- ${again}\n`);
  return 1;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0');
  return value;
}

await program.parseAsync();
