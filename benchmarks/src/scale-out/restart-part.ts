import type { CratePlatform } from '@crate/testing';
import { untilQuiet } from './idle-part.js';
import { scrape, quantileOf } from './scrape.js';
import { SERVICES, sharesOf, sumOf } from './shares.js';

/** All services ended and started again. */
export interface Restart {
  /** Until every process was ready. */
  readonly readySeconds: number;
  /** From then until all that the start made due was looked at, and the queues were empty. */
  readonly sweepSeconds: number;
  readonly passes: number;
  readonly waitP99: number;
  /** Of the services together, afterwards. */
  readonly rssMiB: number;
}

export async function measureRestart(platform: CratePlatform): Promise<Restart> {
  await platform.crate('down');
  const startedAt = performance.now();
  await platform.up();
  const readyAt = performance.now();
  const { since, passes } = await untilQuiet(platform);
  return {
    readySeconds: (readyAt - startedAt) / 1000,
    sweepSeconds: Math.max(0, since - readyAt) / 1000,
    passes,
    waitP99: quantileOf(await scrape(platform), 'crate_reconcile_wait_seconds', 0.99),
    rssMiB: sumOf(await sharesOf(platform), SERVICES).rssMiB,
  };
}
