import { availableParallelism } from 'node:os';
import { reportOf } from '../api/report.js';
import { rounded, type Figure, type Report, type ScenarioOptions } from '../scenario.js';
import { loadFleet, type LifecycleFleet } from './lifecycle-fleet.js';
import { measurePages, type PageResult } from './page-part.js';
import { measureWatches, type WatchResult } from './watch-part.js';

const SIZES = { full: [5_000, 50_000], quick: [500] } as const;
/** Clusters that pages of one subject are made from in all; what takes long of many clusters is done less often. */
const WORK = { full: 2_000_000, quick: 15_000 } as const;
/** Ten rounds of ten. */
const FEWEST_RUNS = 100;
const SECONDS = 10;
const QUICK_SECONDS = 2;
/** A page of this many clusters at most is to be made in so many milliseconds. */
const TARGET = { clusters: 5_000, p99: 5 };

/** All clusters in memory: pages beside what a loop over the objects would take, and many that watch them. */
export async function measureFleet(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const { quick = false, only } = options;
  const lifecycle = await loadFleet();
  const figures: Record<string, Figure> = {};
  const table: string[] = [];
  const tell = (line: string, found: Readonly<Record<string, Figure>> = {}): void => {
    Object.assign(figures, found);
    table.push(line);
    say(line);
  };
  tell(`${availableParallelism()} processors; times in ms`);
  for (const clusters of options.objects === undefined ? SIZES[quick ? 'quick' : 'full'] : [options.objects]) {
    if (only?.includes('page') ?? true) {
      const result = measurePages(lifecycle, clusters, runsOf(clusters, quick));
      tell(pageLine(result), pageFigures(result));
    }
    if (only?.includes('watch') ?? true) await watchPart(lifecycle, clusters, options, tell);
  }
  return reportOf('fleet-pages', figures, table);
}

function runsOf(clusters: number, quick: boolean): number {
  const runs = Math.ceil(WORK[quick ? 'quick' : 'full'] / clusters);
  return quick ? runs : Math.max(FEWEST_RUNS, runs);
}

async function watchPart(
  lifecycle: LifecycleFleet,
  clusters: number,
  { quick = false, seconds = quick ? QUICK_SECONDS : SECONDS }: ScenarioOptions,
  tell: (line: string, found: Readonly<Record<string, Figure>>) => void,
): Promise<void> {
  for (const isSame of [true, false]) {
    const result = await measureWatches(lifecycle, { clusters, seconds, isSame });
    tell(watchLine(result), watchFigures(result));
  }
}

function pageLine({ clusters, taken, updatesPerSecond, bytesPerRow, bytesPerObject }: PageResult): string {
  const times = Object.entries(taken).map(
    ([name, { latency, cpuMs }]) =>
      `${name} p50 ${rounded(latency.p50)} p99 ${rounded(latency.p99)} CPU ${rounded(cpuMs)}`,
  );
  const memory = `${Math.round(bytesPerRow)} bytes a row (objects ${Math.round(bytesPerObject)})`;
  return `page of ${clusters}: ${times.join('; ')}; ${Math.round(updatesPerSecond)} updates/s; ${memory}`;
}

function pageFigures({
  clusters,
  taken,
  updatesPerSecond,
  bytesPerRow,
  bytesPerObject,
}: PageResult): Record<string, Figure> {
  const { index, naive, changing } = taken;
  const target = clusters <= TARGET.clusters ? { target: TARGET.p99 } : {};
  return named(`page-${clusters}`, {
    p50: { value: rounded(index.latency.p50), unit: 'ms', baseline: rounded(naive.latency.p50) },
    p99: { value: rounded(index.latency.p99), unit: 'ms', baseline: rounded(naive.latency.p99), ...target },
    cpu: { value: rounded(index.cpuMs), unit: 'ms', baseline: rounded(naive.cpuMs) },
    cpuOfNaive: { value: rounded(index.cpuMs / naive.cpuMs), unit: 'ratio' },
    changingP50: { value: rounded(changing.latency.p50), unit: 'ms' },
    updates: { value: Math.round(updatesPerSecond), unit: '1/s' },
    bytesPerRow: { value: Math.round(bytesPerRow), unit: 'bytes', baseline: Math.round(bytesPerObject) },
  });
}

function watchLine({ clusters, isSame, readers, lag, pagesPerSecondOfReader, processor }: WatchResult): string {
  const what = isSame ? 'the same' : 'something else each';
  const pages = `${rounded(pagesPerSecondOfReader)} pages/s each`;
  return `watch of ${clusters}: ${readers} readers of ${what}: lag p50 ${rounded(lag.p50)} p99 ${rounded(lag.p99)}; ${pages}; ${rounded(processor)} of a processor`;
}

function watchFigures({
  clusters,
  isSame,
  lag,
  pagesPerSecondOfReader,
  processor,
}: WatchResult): Record<string, Figure> {
  return named(`watch-${clusters}-${isSame ? 'same' : 'other'}`, {
    p50: { value: rounded(lag.p50), unit: 'ms' },
    p99: { value: rounded(lag.p99), unit: 'ms' },
    pages: { value: rounded(pagesPerSecondOfReader), unit: '1/s' },
    processor: { value: rounded(processor), unit: 'processors' },
  });
}

function named(prefix: string, figures: Readonly<Record<string, Figure>>): Record<string, Figure> {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [`${prefix}.${name}`, figure]));
}
