import type { Page } from '@crate/testing';
import { passes } from '../api/report.js';
import { median, rounded, type Figure, type Report, type ScenarioOptions } from '../scenario.js';
import { ConsoleBrowser } from './console-browser.js';
import { BARE_FLEET, bareRows, NOTE_FIRST_ROW, scrollThrough } from './in-page.js';

const FULL = { clusters: 5_000, loads: 10, scrolls: 3, frames: 600 };
const QUICK = { clusters: 300, loads: 2, scrolls: 1, frames: 60 };
/** What the first page may transfer of scripts. */
const FIRST_LOAD_KB = 300;
/** A person sees that something hung. */
const LONG_FRAME_MS = 50;

interface Load {
  readonly rowMs: number;
  readonly kB: number;
}

interface Scroll {
  readonly gaps: readonly number[];
  /** Milliseconds of the page's thread for each frame. */
  readonly cpuMs: number;
}

/** The console in a real browser: how soon it can be used, and how smoothly many rows scroll. */
export async function measureConsole(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const { loads, scrolls, frames, ...usual } = options.quick ? QUICK : FULL;
  const clusters = options.objects ?? usual.clusters;
  const bench = await ConsoleBrowser.start(clusters, say);
  try {
    // In turn, so that what else the machine does falls on both alike.
    const opened: { console: Load; bare: Load }[] = [];
    for (let round = 0; round < loads; round += 1) {
      opened.push({ console: await load(bench), bare: await load(bench, BARE_FLEET) });
    }
    const scrolled: { console: Scroll; bare: Scroll }[] = [];
    for (let round = 0; round < scrolls; round += 1) {
      scrolled.push({ console: await scroll(bench, frames), bare: await scroll(bench, frames, bareRows(clusters)) });
    }
    const figures = { ...loadFigures(opened), ...scrollFigures(scrolled) };
    return { scenario: 'console', figures, pass: passes(figures) };
  } finally {
    say('Stopping the platform');
    await bench.close();
  }
}

async function load(bench: ConsoleBrowser, html?: string): Promise<Load> {
  return bench.visit(async (page) => {
    const bytes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') bytes.push(request.sizes().then((sizes) => sizes.responseBodySize));
    });
    await page.addInitScript(NOTE_FIRST_ROW);
    await page.goto(bench.url);
    const rowMs = await page.evaluate<number>('window.firstRowMs');
    const sizes = await Promise.all(bytes);
    return { rowMs, kB: sizes.reduce((sum, size) => sum + size, 0) / 1000 };
  }, html);
}

async function scroll(bench: ConsoleBrowser, frames: number, html?: string): Promise<Scroll> {
  return bench.visit(async (page) => {
    await page.goto(bench.url);
    await page.locator('tbody tr').first().waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const before = await threadSeconds(session);
    const gaps = await page.evaluate<readonly number[]>(scrollThrough(frames));
    const cpuMs = (((await threadSeconds(session)) - before) * 1000) / gaps.length;
    return { gaps, cpuMs };
  }, html);
}

type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>;

/** How long the page's main thread has worked so far. */
async function threadSeconds(session: Session): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

function loadFigures(opened: readonly { console: Load; bare: Load }[]): Record<string, Figure> {
  const [ours, bare] = [opened.map(({ console }) => console), opened.map((each) => each.bare)];
  const rowMs = (of: readonly Load[]): number => median(of.map((each) => each.rowMs));
  return {
    firstLoad: { value: rounded(Math.max(...ours.map(({ kB }) => kB))), unit: 'kB', target: FIRST_LOAD_KB },
    interactive: { value: rounded(rowMs(ours)), unit: 'ms', baseline: rounded(rowMs(bare)) },
    interactiveOverBare: { value: rounded(rowMs(ours) / rowMs(bare)), unit: 'ratio' },
  };
}

function scrollFigures(scrolled: readonly { console: Scroll; bare: Scroll }[]): Record<string, Figure> {
  const [ours, bare] = [scrolled.map(({ console }) => console), scrolled.map((each) => each.bare)];
  const gapsOf = (of: readonly Scroll[]): number[] =>
    of.flatMap(({ gaps }) => gaps).sort((left, right) => left - right);
  const [gaps, bareGaps] = [gapsOf(ours), gapsOf(bare)];
  const at = (of: readonly number[], share: number): number => rounded(of[Math.floor((of.length - 1) * share)] ?? NaN);
  const long = (of: readonly number[]): number => of.filter((gap) => gap > LONG_FRAME_MS).length;
  const cpu = (of: readonly Scroll[]): number => rounded(median(of.map(({ cpuMs }) => cpuMs)));
  return {
    'frame.p50': { value: at(gaps, 0.5), unit: 'ms', baseline: at(bareGaps, 0.5) },
    'frame.p99': { value: at(gaps, 0.99), unit: 'ms', baseline: at(bareGaps, 0.99) },
    'frame.max': { value: at(gaps, 1), unit: 'ms', baseline: at(bareGaps, 1) },
    'frame.long': { value: long(gaps), unit: 'frames', baseline: long(bareGaps) },
    frames: { value: gaps.length, unit: 'frames', baseline: bareGaps.length },
    'frame.cpu': { value: cpu(ours), unit: 'ms', baseline: cpu(bare) },
    'frame.cpuOverBare': { value: rounded(cpu(ours) / cpu(bare)), unit: 'ratio' },
  };
}
