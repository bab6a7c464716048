import { setTimeout as delay } from 'node:timers/promises';
import type { Team } from '../users/team.js';
import type { Breaker } from './breaker.js';
import type { ScheduledStep } from './schedule.js';

export interface Performers {
  readonly team: Team;
  readonly breaker: Breaker;
  readonly say: (line: string) => void;
}

/** Lets everything happen at its time; what users asked for may still go on. */
export async function perform(
  steps: readonly ScheduledStep[],
  { team, breaker, say }: Performers,
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
