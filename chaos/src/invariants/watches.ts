import type { Change } from '../world/records.js';
import type { WatchedSpan } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

/** 4: within a span without a new list, a watcher saw every change once and in order. */
export const watchersSawEverything: Invariant = ({ watched, changes, floors }) =>
  watched.flatMap(({ watcher, kind, spans }) =>
    spans.flatMap((span) =>
      // What is forgotten cannot be compared any more.
      span.from < (floors[kind] ?? 0) ? [] : compare(`${watcher} of ${kind}`, span, changes[kind] ?? []),
    ),
  );

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
      invariant: 'watchers saw every change once, in order',
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
