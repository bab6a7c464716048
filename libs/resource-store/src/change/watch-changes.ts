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
  { signal, bookmarkEveryMs, endAfterMs = Infinity }: StoreWatchOptions,
): AsyncGenerator<WatchEvent> {
  const bookmarks = new Deadline(bookmarkEveryMs ?? Infinity);
  const end = new Deadline(endAfterMs);
  for (let cursor = start; !signal.aborted && !feed.isClosed;) {
    const { events, readTo } = await readEvents(feed, query, cursor);
    for (const event of events) {
      if (signal.aborted) return;
      bookmarks.restart();
      yield event;
    }
    const isQuiet = readTo === cursor;
    cursor = readTo;
    const isOver = end.isPast;
    if (bookmarks.isPast || (isOver && bookmarkEveryMs !== undefined)) {
      yield bookmark(query, cursor);
      bookmarks.restart();
    }
    if (isOver) return;
    if (isQuiet) await feed.waitBeyond(cursor, signal, Math.min(bookmarks.leftMs, end.leftMs));
  }
}

/** What the next page of the log is to this watch, and how far the page goes. */
async function readEvents(
  feed: ChangeFeed,
  query: CompiledQuery,
  cursor: Revision,
): Promise<{ readonly events: readonly WatchEvent[]; readonly readTo: Revision }> {
  const { changes, readTo } = await feed.read(cursor, query);
  const previous = query.hasTransitions ? await feed.previousOf(changes) : NONE;
  const events = changes.map((change) => eventOf(query, change, previous.get(change.revision)));
  return { events: events.filter((event) => event !== undefined), readTo };
}

/** A moment some time after the start; Infinity: never. */
class Deadline {
  private at: number;

  constructor(private readonly afterMs: number) {
    this.at = performance.now() + afterMs;
  }

  get leftMs(): number {
    return Math.max(0, this.at - performance.now());
  }

  get isPast(): boolean {
    return this.leftMs === 0;
  }

  restart(): void {
    this.at = performance.now() + this.afterMs;
  }
}

/** What a change is to this watch; undefined when it does not concern it. */
function eventOf(query: CompiledQuery, change: Change, previous: KubeObject | undefined): WatchEvent | undefined {
  const isMatch = query.matches(change.object);
  if (query.hasTransitions)
    return transition(change, previous && query.matches(previous) ? previous : undefined, isMatch);
  return isMatch ? { type: change.type, object: change.object } : undefined;
}

/**
 * An object that comes to match was added for this watch. One that ceases to match is gone: told as it last matched, for what it has become
 * is not what was asked for.
 */
function transition(
  { type, object, revision }: Change,
  matched: KubeObject | undefined,
  isMatch: boolean,
): WatchEvent | undefined {
  const isThere = isMatch && type !== 'DELETED';
  if (!matched) return isThere ? { type: 'ADDED', object } : undefined;
  if (isThere) return { type: 'MODIFIED', object };
  const metadata = { ...matched.metadata, resourceVersion: formatRevision(revision) };
  return { type: 'DELETED', object: isMatch ? object : { ...matched, metadata } };
}

/** The store does not know versions: the server that knows which one was asked for puts it in. */
function bookmark(query: CompiledQuery, revision: Revision): WatchEvent {
  const metadata = { resourceVersion: formatRevision(revision) } as KubeObject['metadata'];
  return { type: 'BOOKMARK', object: { apiVersion: formatApiVersion(query.group, 'v1'), kind: query.kind, metadata } };
}
