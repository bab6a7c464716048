import { setTimeout as delay } from 'node:timers/promises';
import { judge } from '../invariants/all.js';
import type { Violation } from '../invariants/invariant.js';
import { ChaosPlatform } from '../platform/chaos-platform.js';
import { SmallDisk } from '../platform/small-disk.js';
import { Team } from '../users/team.js';
import { Observers } from '../watch/observers.js';
import { readWorld } from '../world/read-world.js';
import { summaryOf } from '../world/summary.js';
import { Breaker } from './breaker.js';
import { untilConverged } from './converge.js';
import type { ScheduledStep } from './schedule.js';

export interface RunScheduleOptions {
  readonly steps: readonly ScheduledStep[];
  readonly replicas: number;
  /** How long after healing everything may take. */
  readonly boundMs: number;
  readonly say: (line: string) => void;
}

export interface Finding {
  readonly violations: readonly Violation[];
  /** Where logs and data are kept; absent when nothing was wrong. */
  readonly directory?: string;
}

/** Starts a platform, lets the schedule happen, heals, waits, judges; then deletes everything, and judges again. */
export async function runSchedule(options: RunScheduleOptions): Promise<Finding> {
  const platform = await ChaosPlatform.start({ replicas: options.replicas, latencyScale: 0.1 });
  let isSound = false;
  const disk = await SmallDisk.mount(platform.workspaces);
  if (typeof disk === 'string') options.say(`Skipping full disks: ${disk}`);
  try {
    const violations = await happen(platform, typeof disk === 'string' ? undefined : disk, options);
    isSound = violations.length === 0;
    return isSound ? { violations } : { violations, directory: platform.directory };
  } finally {
    const keepsData = !isSound;
    if (typeof disk !== 'string') await disk.unmount({ keepsData });
    await platform.stop({ keepsData });
  }
}

async function happen(
  platform: ChaosPlatform,
  disk: SmallDisk | undefined,
  { steps, boundMs, say }: RunScheduleOptions,
): Promise<readonly Violation[]> {
  const ending = new AbortController();
  const team = new Team(platform.api, ending.signal);
  const breaker = new Breaker(platform, disk, say);
  await team.prepare();
  const observers = new Observers(platform, await platform.replicaApis());
  observers.start();
  const asked = await perform(steps, { team, breaker, say });
  say('Healing');
  await breaker.heal();
  const healedAt = performance.now();
  ending.abort();
  await Promise.all(asked);
  const isUsable = await resume(platform, team).then(
    () => true,
    (error: unknown) => say(`Nobody can work: ${String(error)}`),
  );
  const leftMs = boundMs - (performance.now() - healedAt);
  const waitedMs = isUsable ? await untilConverged(platform.records, leftMs) : undefined;
  const convergedAfterMs = waitedMs === undefined ? undefined : Math.round(boundMs - leftMs + waitedMs);
  say(convergedAfterMs === undefined ? 'Not converged' : `Converged after ${convergedAfterMs} ms`);
  const { acknowledged } = team.ledger;
  const world = await readWorld({ platform, observers, acknowledged, convergedAfterMs, boundMs });
  say(summaryOf(world));
  const first = judge(world);
  return first.length > 0 ? first : afterDeletion(platform, team, { boundMs, say });
}

/** The cloud is well again, the platform is up, and users take back what they paused. */
async function resume(platform: ChaosPlatform, team: Team): Promise<void> {
  await platform.untilUp();
  await platform.sandbox.clearFaults();
  await platform.sandbox.setLatency(0);
  await platform.sandbox.setTargetApis(false);
  await team.resumeAll();
}

async function perform(
  steps: readonly ScheduledStep[],
  { team, breaker, say }: { team: Team; breaker: Breaker; say: (line: string) => void },
): Promise<readonly Promise<void>[]> {
  const startedAt = performance.now();
  const asked: Promise<void>[] = [];
  for (const { atMs, what } of steps) {
    await delay(Math.max(0, atMs - (performance.now() - startedAt)));
    say(`${String(atMs).padStart(7)} ${JSON.stringify(what)}`);
    if ('user' in what) asked.push(team.act(what));
    else breaker.begin(what);
  }
  return asked;
}

/** Whatever was done, nothing may be left when everything is deleted. */
async function afterDeletion(
  platform: ChaosPlatform,
  team: Team,
  { boundMs, say }: Pick<RunScheduleOptions, 'boundMs' | 'say'>,
): Promise<readonly Violation[]> {
  const observers = new Observers(platform, [platform.api]);
  observers.start();
  await team.deleteAll();
  const convergedAfterMs = await untilConverged(platform.records, boundMs);
  say(convergedAfterMs === undefined ? 'Not deleted' : `Deleted after ${convergedAfterMs} ms`);
  const { acknowledged } = team.ledger;
  return judge(await readWorld({ platform, observers, acknowledged, convergedAfterMs, boundMs }));
}
