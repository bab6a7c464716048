import { formatApiVersion, type KubeObject, type WatchEvent } from '@crate/api';
import { formatRevision, parseRevision, type Revision } from '../revision.js';
import type { StoreWatchOptions } from '../resource-store.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import type { Change } from './change.js';
import type { ChangeFeed } from './change-feed.js';

const NONE: ReadonlyMap<Revision, KubeObject> = new Map();

/** Follows the log for one watcher. Its only state is the revision it has come to. */
export function watchChanges(
  feed: ChangeFeed,
  query: CompiledQuery,
  options: StoreWatchOptions,
): AsyncIterable<WatchEvent> {
  const { fromRevision } = options;
  // Begun now and not at the first read, so that "from now" means the time of the call.
  const start = feed.start(fromRevision === undefined ? undefined : parseRevision(fromRevision));
  start.catch(() => undefined); // The first read rethrows it.
  return follow(feed, query, options, start);
}

async function* follow(
  feed: ChangeFeed,
  query: CompiledQuery,
  options: StoreWatchOptions,
  start: Promise<Revision>,
): AsyncGenerator<WatchEvent> {
  const leave = feed.join();
  try {
    yield* eventsFrom(await start, feed, query, options);
  } finally {
    leave();
  }
}

async function* eventsFrom(
  start: Revision,
  feed: ChangeFeed,
  query: CompiledQuery,
  { signal, bookmarkEveryMs = Infinity }: StoreWatchOptions,
): AsyncGenerator<WatchEvent> {
  let cursor = start;
  let bookmarkAt = performance.now() + bookmarkEveryMs;
  while (!signal.aborted && !feed.isClosed) {
    const { changes, readTo } = await feed.read(cursor, query);
    const previous = query.hasTransitions ? await feed.previousOf(changes) : NONE;
    for (const change of changes) {
      const event = eventOf(query, change, previous.get(change.revision));
      if (signal.aborted) return;
      if (event) bookmarkAt = performance.now() + bookmarkEveryMs;
      if (event) yield event;
    }
    const isQuiet = readTo === cursor;
    cursor = readTo;
    if (performance.now() >= bookmarkAt) {
      yield bookmark(query, cursor);
      bookmarkAt = performance.now() + bookmarkEveryMs;
    } else if (isQuiet) {
      await feed.waitBeyond(cursor, signal, Math.max(0, bookmarkAt - performance.now()));
    }
  }
}

/** What a change is to this watch; undefined when it does not concern it. */
function eventOf(query: CompiledQuery, change: Change, previous: KubeObject | undefined): WatchEvent | undefined {
  const isMatch = query.matches(change.object);
  if (query.hasTransitions) return transition(change, previous !== undefined && query.matches(previous), isMatch);
  return isMatch ? { type: change.type, object: change.object } : undefined;
}

/** An object that comes to match was added for this watch, one that ceases to match is gone. */
function transition({ type, object }: Change, wasMatch: boolean, isMatch: boolean): WatchEvent | undefined {
  const isThere = isMatch && type !== 'DELETED';
  if (wasMatch && isThere) return { type: 'MODIFIED', object };
  if (wasMatch) return { type: 'DELETED', object };
  return isThere ? { type: 'ADDED', object } : undefined;
}

/** The store does not know versions: the server that knows which one was asked for puts it in. */
function bookmark(query: CompiledQuery, revision: Revision): WatchEvent {
  const metadata = { resourceVersion: formatRevision(revision) } as KubeObject['metadata'];
  return { type: 'BOOKMARK', object: { apiVersion: formatApiVersion(query.group, 'v1'), kind: query.kind, metadata } };
}
