import type { Page } from '@crate/testing';
import type { Report, ScenarioOptions } from '../scenario.js';
import { ConsoleBrowser } from './console-browser.js';
import { consoleReport, type Beside, type Load, type Scroll } from './console-report.js';
import { BARE_FLEET, bareRows, NOTE_FIRST_ROW, scrollThrough } from './in-page.js';

const FULL = { clusters: 5_000, loads: 10, scrolls: 3, frames: 600 };
const QUICK = { clusters: 300, loads: 2, scrolls: 1, frames: 60 };

/** The console in a real browser: how soon it can be used, and how smoothly many rows scroll. */
export async function measureConsole(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const { loads, scrolls, frames, ...usual } = options.quick ? QUICK : FULL;
  const clusters = options.objects ?? usual.clusters;
  const bench = await ConsoleBrowser.start(clusters, say);
  try {
    // In turn, so that what else the machine does falls on both alike.
    const opened: Beside<Load>[] = [];
    for (let round = 0; round < loads; round += 1) {
      opened.push({ console: await load(bench), bare: await load(bench, BARE_FLEET) });
    }
    const scrolled: Beside<Scroll>[] = [];
    for (let round = 0; round < scrolls; round += 1) {
      scrolled.push({ console: await scroll(bench, frames), bare: await scroll(bench, frames, bareRows(clusters)) });
    }
    return consoleReport(opened, scrolled);
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
