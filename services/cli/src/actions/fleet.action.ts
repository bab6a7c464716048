import { setTimeout as delay } from 'node:timers/promises';
import { FLEET_PATH, type FleetEvent, type FleetPage } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { isPassing } from '../client/passing.js';
import { fleetSummary, fleetTable } from '../fleet/fleet-text.js';
import { endWithReader } from '../output/reader.js';
import { dataText } from '../output/print.js';
import { apiOf } from '../client/context.js';
import { canGoBack } from '../progress/bar-shape.js';
import type { ApiOptions } from '../commands/api-options.js';

type Format = 'table' | 'json' | 'yaml';

interface FleetOptions extends ApiOptions {
  readonly project?: string;
  readonly health?: string;
  readonly region?: string;
  readonly kubernetesVersion?: string;
  readonly provider?: string;
  readonly engine?: string;
  readonly class?: string;
  readonly search?: string;
  readonly sort?: string;
  readonly offset?: string;
  readonly limit?: string;
  readonly watch?: true;
  readonly output: Format;
}

/** A server that restarts is back after some seconds. */
const COME_BACK_MS = 1_000;
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

export async function runFleet(options: FleetOptions): Promise<void> {
  const api = await apiOf(options);
  const path = pathOf(options);
  if (options.watch) return watch(api, path, options.output);
  show(await api.get<FleetPage>(path), options.output);
}

/** The server says what is wrong with a value. */
function pathOf(options: FleetOptions): string {
  const { project, health, region, kubernetesVersion: version, provider, engine, search: q, sort } = options;
  const { offset, limit, watch: isWatch, class: ofClass } = options;
  const given = { project, health, region, version, provider, engine, class: ofClass, q, sort, offset, limit };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
  if (isWatch) query.set('watch', 'true');
  return query.size === 0 ? FLEET_PATH : `${FLEET_PATH}?${query.toString()}`;
}

/** Until Ctrl-C, or until looking is not allowed any more. A platform that is away is waited for, once it has shown something. */
async function watch(api: ApiClient, path: string, format: Format): Promise<void> {
  endWithReader();
  for (let hasShown = false; ;) {
    try {
      for await (const page of pagesOf(api, path)) {
        showAgain(page, format);
        hasShown = true;
      }
    } catch (error) {
      if (!hasShown || !isPassing(error)) throw error;
    }
    await delay(COME_BACK_MS);
  }
}

async function* pagesOf(api: ApiClient, path: string): AsyncGenerator<FleetPage> {
  for await (const line of api.lines(path)) {
    const event = JSON.parse(line) as FleetEvent;
    if (event.type === 'PAGE') yield event.page;
  }
}

function show(page: FleetPage, format: Format): void {
  if (format !== 'table') return void process.stdout.write(dataText(format, page));
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  if (page.rows.length > 0) for (const line of fleetTable(page, { now: new Date(), columns })) console.log(line);
  // Not among what programs read.
  console.error(fleetSummary(page));
}

/** A terminal shows the newest page only; a file all of them, so that they can be told apart. */
function showAgain(page: FleetPage, format: Format): void {
  if (format === 'json') return void process.stdout.write(`${JSON.stringify(page)}\n`);
  if (format === 'yaml') process.stdout.write('---\n');
  else if (canGoBack(process.stdout)) process.stdout.write(CLEAR_SCREEN);
  show(page, format);
}
