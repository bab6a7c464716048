import { formatApiVersion, type KubeObject, type WatchEvent } from '@crate/api';
import { formatRevision, parseRevision, type Revision } from '../revision.js';
import type { StoreWatchOptions } from '../resource-store.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import type { Change } from './change.js';
import type { ChangeFeed } from './change-feed.js';

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
  { signal, bookmarkEveryMs }: StoreWatchOptions,
  start: Promise<Revision>,
): AsyncGenerator<WatchEvent> {
  const leave = feed.join();
  try {
    let cursor = await start;
    let lastSentAt = performance.now();
    while (!signal.aborted && !feed.isClosed) {
      const page = await feed.read(cursor, query);
      for (const change of page.changes) {
        const event = await eventOf(feed, query, change);
        if (signal.aborted) return;
        if (event) yield event;
        if (event) lastSentAt = performance.now();
      }
      if (page.readTo > cursor) {
        cursor = page.readTo;
        continue;
      }
      const bookmarkInMs = bookmarkEveryMs && lastSentAt + bookmarkEveryMs - performance.now();
      if (bookmarkInMs !== undefined && bookmarkInMs <= 0) {
        yield bookmark(query, cursor);
        lastSentAt = performance.now();
        continue;
      }
      await feed.waitBeyond(cursor, signal, bookmarkInMs);
    }
  } finally {
    leave();
  }
}

/** What a change is to this watcher: an object that comes to match was added, one that ceases to match is gone. */
async function eventOf(feed: ChangeFeed, query: CompiledQuery, change: Change): Promise<WatchEvent | undefined> {
  const { object } = change;
  const isMatch = query.matches(object);
  if (change.type === 'ADDED') return isMatch ? { type: 'ADDED', object } : undefined;
  if (!query.hasTransitions) return isMatch ? { type: change.type, object } : undefined;

  const previous = await feed.previousOf(change);
  const wasMatch = previous !== undefined && query.matches(previous);
  if (change.type === 'DELETED') return wasMatch ? { type: 'DELETED', object } : undefined;
  if (!wasMatch && !isMatch) return undefined;
  if (wasMatch && isMatch) return { type: 'MODIFIED', object };
  return { type: isMatch ? 'ADDED' : 'DELETED', object };
}

/** The store does not know versions: the server that knows which one was asked for puts it in. */
function bookmark(query: CompiledQuery, revision: Revision): WatchEvent {
  const metadata = { resourceVersion: formatRevision(revision) } as KubeObject['metadata'];
  return { type: 'BOOKMARK', object: { apiVersion: formatApiVersion(query.group, 'v1'), kind: query.kind, metadata } };
}
