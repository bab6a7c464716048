import { setTimeout as delay } from 'node:timers/promises';
import type { CratePlatform } from '@crate/testing';
import { scrape, sumOfSamples } from './scrape.js';
import { SERVICES, sharesOf, sumOf, usedBetween, type Shares } from './shares.js';

const LOOK_MS = 1_000;
/** So long without a pass, and with nothing due. */
const QUIET_LOOKS = 5;
const MOST_LOOKS = 300;

/** What a fleet costs that nobody does anything to. */
export interface Idle {
  readonly clusters: number;
  /** Processors that each uses on average, and what it holds. */
  readonly used: Shares;
  /** Of the services together, programs that they run not counted. */
  readonly processors: number;
  readonly rssMiB: number;
  /** Processors that programs of services use: comparisons with the cloud. */
  readonly programProcessors: number;
}

export async function measureIdle(platform: CratePlatform, clusters: number, seconds: number): Promise<Idle> {
  await untilQuiet(platform);
  const before = await sharesOf(platform);
  const startedAt = performance.now();
  await delay(seconds * 1000);
  const took = (performance.now() - startedAt) / 1000;
  const used = usedBetween(before, await sharesOf(platform));
  const services = sumOf(used, SERVICES);
  return {
    clusters,
    used: Object.fromEntries(
      Object.entries(used).map(([name, { cpuSeconds, programSeconds, rssMiB }]) => [
        name,
        { cpuSeconds: cpuSeconds / took, programSeconds: programSeconds / took, rssMiB },
      ]),
    ),
    processors: services.cpuSeconds / took,
    programProcessors: services.programSeconds / took,
    rssMiB: services.rssMiB,
  };
}

/** The moment of the last pass before all was quiet, by `performance.now`, and how many passes the processes had made. */
export interface Quiet {
  readonly since: number;
  readonly passes: number;
}

/** Waits until nothing is due and no pass begins for some seconds; at most five minutes, for a fleet so large that it is never quiet. */
export async function untilQuiet(platform: CratePlatform): Promise<Quiet> {
  let [since, passes, looks] = [performance.now(), NaN, 0];
  for (let all = 0; all < MOST_LOOKS && looks < QUIET_LOOKS; all += 1) {
    const samples = await scrape(platform);
    const now = sumOfSamples(samples, 'crate_reconcile_pass_seconds_count');
    const due = sumOfSamples(samples, 'crate_reconcile_queue_depth', { state: 'due' });
    if (now !== passes || due > 0) [since, passes, looks] = [performance.now(), now, 0];
    else looks += 1;
    await delay(LOOK_MS);
  }
  return { since, passes };
}

/** What a fleet of another size would cost: a line through none and those that there were. */
export function atSize(
  none: Idle,
  some: Idle,
  clusters: number,
  of: 'processors' | 'rssMiB' | 'programProcessors',
): number {
  return none[of] + ((some[of] - none[of]) * clusters) / some.clusters;
}
