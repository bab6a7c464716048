import { isGivenUp } from './given-up.js';
import type { Invariant, Violation } from './invariant.js';

/** 5: a record was gone only after nothing of it was left, but for what somebody gave up. */
export const finalizersWaited: Invariant = (world) =>
  world.earlyEnds.flatMap(({ uid, left }) => {
    const unexplained = left.filter((object) => !isGivenUp(world, object));
    if (unexplained.length === 0) return [];
    const names = unexplained.map(({ type, id }) => `${type} ${id}`).join(', ');
    const message = `${uid} was gone while there were ${names}`;
    return [{ invariant: 'finalizers went after the inventory was empty', message }];
  });

/** 6: everything was as asked in time. */
export const convergedInTime: Invariant = ({ convergedAfterMs, boundMs, unsettled }) => {
  if (convergedAfterMs !== undefined && convergedAfterMs <= boundMs) return [];
  const after = convergedAfterMs === undefined ? 'Not' : `${convergedAfterMs} ms`;
  const left = unsettled.length === 0 ? '' : `; not as asked: ${unsettled.join('; ')}`;
  return [{ invariant: 'convergence in time', message: `${after} after healing; the bound is ${boundMs} ms${left}` }];
};

/** 7: no secret is where it may not be. */
export const noLeaks: Invariant = ({ leaks }) => leakViolations(leaks);

export function leakViolations(leaks: readonly string[]): readonly Violation[] {
  return leaks.map((message) => ({ invariant: 'no secret where it may not be', message }));
}
