import { isKnown } from '../world/gap.js';
import type { Change } from '../world/records.js';
import type { WatchedKind, WatchedSpan } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

const NAME = 'watchers saw every change once, in order';

/**
 * 4: within a span without a new list, a watcher saw every change once and in order. It came as far as there were changes, and was told to
 * list anew only where changes are forgotten.
 */
export const watchersSawEverything: Invariant = (world) =>
  world.watched.flatMap((history) => {
    const { kind, spans } = history;
    // What nobody read cannot be compared, on either side.
    const known = <T extends { readonly revision: number }>(list: readonly T[]): readonly T[] =>
      list.filter(({ revision }) => isKnown(world, kind, revision));
    const changes = known(world.changes[kind] ?? []);
    const seen = spans.flatMap((span) => compare(nameOf(history), { ...span, events: known(span.events) }, changes));
    return [...seen, ...endOf(history), ...needless(history, world.floors[kind] ?? 0)];
  });

const nameOf = ({ watcher, kind }: WatchedKind): string => `${watcher} of ${kind}`;

function endOf(history: WatchedKind): Violation[] {
  const to = history.spans.at(-1)?.to ?? 0;
  if (to >= history.wanted) return [];
  return [{ invariant: NAME, message: `${nameOf(history)} came as far as ${to}, and there was ${history.wanted}` }];
}

function needless(history: WatchedKind, floor: number): Violation[] {
  return history.spans
    .filter(({ isForgotten, to }) => isForgotten && to >= floor)
    .map(({ to }) => ({
      invariant: NAME,
      message: `${nameOf(history)} was sent to list anew at ${to}; only changes up to ${floor} are forgotten`,
    }));
}

function compare(watcher: string, { from, to, events }: WatchedSpan, changes: readonly Change[]): Violation[] {
  const expected = changes.filter(({ revision }) => revision > from && revision <= to).map(textOf);
  const seen = events.map(textOf);
  const missing = expected.filter((each) => !seen.includes(each));
  const invented = seen.filter((each) => !expected.includes(each));
  const doubled = seen.filter((each, index) => seen.indexOf(each) !== index);
  const disordered = events.filter(({ revision }, index) => revision < (events[index - 1]?.revision ?? 0)).map(textOf);
  return Object.entries({ missing, invented, doubled, disordered })
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => ({
      invariant: NAME,
      message: `${watcher}, after ${from} up to ${to}: ${what} ${list.slice(0, 5).join(', ')} (${list.length})`,
    }));
}

function textOf({
  type,
  uid,
  revision,
}: {
  readonly type: string;
  readonly uid: string;
  readonly revision: number;
}): string {
  return `${type} ${uid} at ${revision}`;
}
