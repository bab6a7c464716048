import { Command, InvalidArgumentError } from 'commander';
import { addressOf } from './kill-points/kill-point.js';
import {
  choose,
  listKillPoints,
  replayed,
  runKillPoints,
  type KillPointsOptions,
} from './kill-points/run-kill-points.js';
import { Journal } from './journal/journal.js';
import { tableOf, violatedIn } from './journal/summary.js';
import { ChaosPlatform, LEASE_MS } from './platform/chaos-platform.js';
import { commitOfThis } from './platform/commit.js';
import { runSeeds, type SeedsOptions } from './random/run-seeds.js';

interface Options extends Omit<SeedsOptions, 'say' | 'print' | 'journal' | 'leaseMs'> {
  readonly journal?: string;
  readonly summary?: boolean;
  readonly lease: number;
  readonly killPoints?: boolean;
  readonly only?: string;
  readonly sample?: number;
  readonly replay?: string;
  readonly bound: number;
}

const INTERRUPTED = 130;

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const program = new Command('chaos')
  .description(
    'Breaks whole platforms, heals them, and checks from outside that nothing is lost, doubled or left behind',
  )
  .option('--seed <number>', 'what the first schedule is drawn by', positive, 1)
  .option('--seeds <number>', 'how many schedules, each of the next seed', positive, 1)
  .option('--clusters <number>', 'how many clusters users work with', positive, 3)
  .option('--minutes <number>', 'how long a platform is used and broken', positive, 1)
  .option('--replicas <number>', 'processes of each service', positive, 1)
  .option('--hosts <number>', 'with 2, there are two replicas, and the second is on a host of its own', oneOrTwo, 1)
  .option('--bound <seconds>', 'how long everything may take after healing', positive, 180)
  .option(
    '--kill-points',
    'instead of schedules: kill at every step of create, scale, shrink, resize, change and delete, and of some of them while clusters are away',
  )
  .option('--only <text>', 'kill points: those whose address has the text in it')
  .option('--sample <number>', 'kill points: only so many, drawn by the seed', positive)
  .option('--replay <address>', 'one kill point, by the address that was printed')
  .option('--lease <seconds>', 'how long a pass holds its key; longer on busy machines', positive, LEASE_MS / 1000)
  .option('--jobs <number>', 'platforms at work side by side', positive, 1)
  .option('--journal <file>', 'add what was run, and how it went, to a file of JSON lines')
  .option('--resume', 'leave out what the journal has already')
  .option('--summary', 'print a table of what the journal has, and run nothing')
  .option('--list', 'print the schedules or kill points, and run none')
  .addHelpText(
    'after',
    '\nExits with 1 when an invariant is broken, and prints how to see it again. See docs/chaos.md.',
  )
  .action(async (options: Options) => {
    const { journal: file, lease, ...given } = options;
    const rest = { ...given, replicas: Math.max(given.replicas, given.hosts) };
    const journal = Journal.open(file, await commitOfThis());
    const isSound = options.summary
      ? summarise(journal)
      : await run({ ...rest, leaseMs: lease * 1000, journal, say, print });
    process.exitCode = isSound ? 0 : 1;
  });

type Wanted = SeedsOptions & Pick<Options, 'killPoints' | 'only' | 'sample' | 'replay'>;

function run(wanted: Wanted): Promise<boolean> {
  return wanted.killPoints || wanted.replay ? killPoints(wanted) : runSeeds(wanted);
}

function summarise(journal: Journal): boolean {
  print([tableOf(journal), ...violatedIn(journal)].join('\n'));
  return true;
}

async function killPoints({ bound, replay, ...options }: Wanted): Promise<boolean> {
  const how: KillPointsOptions = { ...options, boundMs: bound * 1000 };
  const points = replay === undefined ? choose(await listKillPoints(how), how) : replayed(replay);
  if (options.list) {
    for (const point of points) print(addressOf(point));
    return true;
  }
  const tally = await runKillPoints(points, how);
  print(
    Object.entries(tally)
      .map(([result, count]) => `${count} ${result}`)
      .join(', '),
  );
  if (!options.resume && points.length > 0 && tally['not reached'] === points.length) {
    print('No point was reached: nothing was tried');
    return false;
  }
  return tally.violated + tally['not judged'] === 0;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0');
  return value;
}

function oneOrTwo(text: string): number {
  if (text !== '1' && text !== '2') throw new InvalidArgumentError('must be 1 or 2');
  return Number(text);
}

// Twice is once: a terminal says it to each process of a group, and what handed over to us says it again.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void ChaosPlatform.stopAll().finally(() => process.exit(INTERRUPTED)));
}
await program.parseAsync().catch((error: unknown) => {
  if (!ChaosPlatform.isBeingEnded) throw error;
});
