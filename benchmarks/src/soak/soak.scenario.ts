import { ApiBench } from '../api/api-bench.js';
import { projectName } from '../api/dataset.js';
import { LIFECYCLE } from '../api/operations.js';
import type { Seen, WatchersJob } from '../api/watchers.main.js';
import { Inspector } from '../processes/inspector.js';
import { Worker } from '../processes/worker.js';
import type { Report, ScenarioOptions } from '../scenario.js';
import { soakReport, type Round } from './soak-report.js';

const MINUTES = 10;
const OBJECTS = 5_000;
const RATE = 150;
const QUICK = { minutes: 0.2, objects: 500 };

/** Watches that are opened and closed in each round. */
const WATCHERS = 50;
const ROUNDS_PER_MINUTE = 6;
const SECONDS_PER_MINUTE = 60;

const WATCH = `${LIFECYCLE}/namespaces/${projectName(0)}/clusters?watch=true`;

/** The front door's memory under minutes of mixed load, with watches that come and go. */
export async function measureSoak(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const { quick = false, rate = RATE } = options;
  const { minutes = quick ? QUICK.minutes : MINUTES, objects = quick ? QUICK.objects : OBJECTS } = options;
  const bench = await ApiBench.start(objects, say);
  try {
    const rounds = await runRounds(bench, { minutes, rate }, say);
    return soakReport(rounds, minutes, WATCHERS);
  } finally {
    say('Stopping the platform');
    await bench.close();
  }
}

async function runRounds(
  bench: ApiBench,
  { minutes, rate }: { readonly minutes: number; readonly rate: number },
  say: (line: string) => void,
): Promise<readonly Round[]> {
  const inspector = await Inspector.attach((await bench.platform.processes())['lifecycle']?.pid ?? 0);
  const watchers = await Worker.start(new URL('../api/watchers.main.js', import.meta.url));
  const rounds: Round[] = [];
  try {
    const count = Math.max(6, Math.round(minutes * ROUNDS_PER_MINUTE));
    const seconds = (minutes * SECONDS_PER_MINUTE) / count;
    for (let index = 0; index < count; index += 1) {
      rounds.push(await runRound(bench, { inspector, watchers, rate, seconds, index, before: rounds.at(-1) }));
      if (index % ROUNDS_PER_MINUTE === 0) say(roundText(rounds.at(-1), count, index));
    }
    return rounds;
  } finally {
    await inspector.close();
    await watchers.stop();
  }
}

interface RoundOptions {
  readonly inspector: Inspector;
  readonly watchers: Worker;
  readonly rate: number;
  readonly seconds: number;
  readonly index: number;
  readonly before: Round | undefined;
}

/** Opens watches, sends requests, closes the watches, and looks at what is left. */
async function runRound(bench: ApiBench, options: RoundOptions): Promise<Round> {
  const { inspector, watchers, rate, seconds, index, before } = options;
  const run = <R>(job: WatchersJob): Promise<R> => watchers.run<R>(job);
  await run({ open: { endpoint: bench.endpoints.crate, path: WATCH, count: WATCHERS } });
  const load = await bench.load({ subject: 'crate', operation: 'mixed', rate, seconds, first: index * 100_000 });
  const seen = await run<Seen>({ collect: { expected: [], timeoutMs: 0 } });
  await run({ close: true });
  const { heapMiB, resources } = await inspector.sample();
  return {
    requests: (before?.requests ?? 0) + load.latency.count,
    heapMiB,
    resources,
    rssMiB: load.rss['lifecycle'] ?? NaN,
    failures: load.failures,
    failuresByKind: load.failuresByKind,
    endedWatches: seen.ended,
    events: seen.events,
  };
}

function roundText(round: Round | undefined, count: number, index: number): string {
  if (!round) return '';
  const { requests, failures, heapMiB, rssMiB, resources } = round;
  const memory = `heap ${heapMiB.toFixed(1)} MiB, RSS ${rssMiB.toFixed(0)} MiB`;
  return `Round ${index + 1} of ${count}: ${requests} requests, ${failures} failed in it, ${memory}, ${resources} open`;
}
