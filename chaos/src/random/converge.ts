import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { FairTime } from '../platform/fair-time.js';
import type { NewKey } from '../platform/new-keys.js';
import type { ProcessFinder } from '../platform/working-processes.js';
import type { Records } from '../world/records.js';
import { unmovedIn } from './unmoved.js';
import { unsettledIn } from './unsettled.js';

const LOOK_EVERY_MS = 500;
/** However busy the machine is with other things. */
const LONGEST_SHARE = 4;

export interface Convergence {
  /** Milliseconds of fair time until everything was as asked; undefined when it was not when the wait ended. */
  readonly convergedAfterMs: number | undefined;
  /** What was not as asked at the last look, in its own words. */
  readonly unsettled: readonly string[];
}

export interface ConvergeOptions {
  /** Every Infrastructure has to answer it, too: that nothing differs from what was applied. */
  readonly question?: string;
  /** Everything that services keep has to stand under the newest of these. */
  readonly keys?: readonly NewKey[];
  /** What people do meanwhile, at each look. */
  readonly help?: () => Promise<void>;
  /** Ends the wait before its time. */
  readonly isOver?: () => boolean;
}

/** Waits until everything is as asked, for so long of fair time. */
export async function untilConverged(
  platform: Pick<ChaosPlatform, 'records' | 'pids' | 'finderOf'>,
  withinMs: number,
  { question, keys = [], help, isOver = () => false }: ConvergeOptions = {},
): Promise<Convergence> {
  const startedAt = performance.now();
  const finders = [platform.finderOf('terraform'), platform.finderOf('rke')];
  const time = new FairTime();
  let unsettled: readonly string[] = [];
  for (let spentMs = 0; spentMs < withinMs && performance.now() - startedAt < LONGEST_SHARE * withinMs;) {
    unsettled = await leftIn(platform.records, question, keys).catch((error: unknown) => [
      `nobody can look: ${String(error)}`,
    ]);
    if (unsettled.length === 0) return { convergedAfterMs: Math.round(spentMs), unsettled };
    if (isOver()) break;
    await help?.();
    await delay(LOOK_EVERY_MS);
    spentMs += time.since(await pidsAtWork(platform, finders));
  }
  return { convergedAfterMs: undefined, unsettled };
}

async function leftIn(
  records: Records,
  question: string | undefined,
  keys: readonly NewKey[],
): Promise<readonly string[]> {
  return [...(await unsettledIn(records, question)), ...(await unmovedIn(records, keys))];
}

/** Whoever has to wait for a processor while a platform works: this process, those of the platform, and the programs that its services run. */
export async function pidsAtWork(
  platform: Pick<ChaosPlatform, 'pids'>,
  finders: readonly Pick<ProcessFinder, 'look'>[],
): Promise<readonly number[]> {
  const services = Object.values(await platform.pids().catch(() => ({})));
  return [process.pid, ...services, ...finders.flatMap((finder) => finder.look().map(({ pid }) => pid))];
}
