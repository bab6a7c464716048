import { setTimeout as delay } from 'node:timers/promises';
import type { KubeList, KubeObject, WatchEvent } from '@crate/api';
import { hasCode, toPlatformError } from '@crate/errors';
import type { CallContext, ListOptions, ResourceType, WatchOptions } from '@crate/resource-client';
import { CALL_TOO_LATE } from '../call/wire.js';
import type { PollAnswer } from './poll-changes.js';

const DEFAULT_POLL_MS = 10_000;
/** What an answer may take on top of the time the owner holds it; after that the replica counts as dead. */
const POLL_MARGIN_MS = 2000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

/** A quiet watch that takes bookmarks gets one this often, also when nothing moved. */
const BOOKMARK_EVERY_MS = 60_000;

/** What exists is fetched in pages, so that a reader that takes its time holds no more than one. */
const INITIAL_PAGE = 500;

/** Revision of an owner that never stored anything. */
const NOTHING_YET = '0';

export interface RemoteWatch {
  readonly type: ResourceType;
  readonly options: WatchOptions;
  readonly context: CallContext;
  readonly list: (options: ListOptions, context: CallContext) => Promise<KubeList>;
  readonly poll: (body: unknown, context: CallContext, timeoutMs: number) => Promise<PollAnswer>;
  readonly pollMs?: number;
}

/**
 * A watch as a loop of long polls. The loop alone knows the revision, so it survives the death of a replica and an
 * outage of NATS or of the owner: it goes on where it was, without a gap. Throws Gone when that is too long ago.
 * What there is at its beginning is told, and asked for once what came after it, however short its time is: who comes back for
 * more would never get on otherwise.
 */
export async function* watchRemotely(watch: RemoteWatch): AsyncGenerator<WatchEvent> {
  const { signal } = watch.context;
  const end = new End(watch.options.timeoutMs);
  const polls = new Polls(watch, end);
  try {
    let revision = yield* beginning(watch, end);
    do {
      revision = yield* polls.next(revision);
    } while (!end.isPast && !signal?.aborted);
  } catch (error) {
    if (!signal?.aborted && !(end.isPast && isOwnerAway(error))) throw error;
  }
}

/** The moment from which on nothing is waited for. What was begun before is finished. */
class End {
  private readonly at: number;

  constructor(timeoutMs = Infinity) {
    this.at = performance.now() + timeoutMs;
  }

  get leftMs(): number {
    return Math.max(0, Math.ceil(this.at - performance.now()));
  }

  get isPast(): boolean {
    return this.leftMs === 0;
  }
}

/** Yields what there is when that is asked for; returns the revision to go on from. */
async function* beginning(watch: RemoteWatch, end: End): AsyncGenerator<WatchEvent, string> {
  const { resourceVersion = '', sendInitialEvents } = watch.options;
  const isStated = resourceVersion !== '' && resourceVersion !== NOTHING_YET;
  if (sendInitialEvents ?? !isStated) return yield* initialEvents(watch, end);
  return isStated ? resourceVersion : newestRevision(watch, end);
}

async function* initialEvents(watch: RemoteWatch, end: End): AsyncGenerator<WatchEvent, string> {
  const { resourceVersion, sendInitialEvents } = watch.options;
  const place = resourceVersion ? { resourceVersion, resourceVersionMatch: 'NotOlderThan' as const } : {};
  const last = yield* existing(watch, place, end);
  if (sendInitialEvents) yield endOfInitialEvents(last);
  return last.metadata.resourceVersion;
}

/** Yields an ADDED for each object of one snapshot; returns its last page. */
async function* existing(watch: RemoteWatch, place: ListOptions, end: End): AsyncGenerator<WatchEvent, KubeList> {
  for (let from = place; ;) {
    const page = await listPage(watch, { ...from, limit: INITIAL_PAGE }, end);
    for (const object of page.items) yield { type: 'ADDED', object };
    const token = page.metadata.continue;
    if (token === undefined) return page;
    from = { continue: token };
  }
}

async function newestRevision(watch: RemoteWatch, end: End): Promise<string> {
  return (await listPage(watch, { limit: 1 }, end)).metadata.resourceVersion;
}

async function listPage(watch: RemoteWatch, place: ListOptions, end: End): Promise<KubeList> {
  const options = { ...selectionOf(watch.options), ...place };
  return persistently(watch, end, () => watch.list(options, watch.context));
}

/** The long polls of one watch, one after the other. */
class Polls {
  private bookmarkAt = performance.now() + BOOKMARK_EVERY_MS;

  constructor(
    private readonly watch: RemoteWatch,
    private readonly end: End,
  ) {}

  /** Yields what one poll brings; returns the revision to go on from. */
  async *next(revision: string): AsyncGenerator<WatchEvent, string> {
    const answer = await persistently(this.watch, this.end, () => this.poll(revision));
    if (revision === NOTHING_YET) return yield* this.first(answer);
    yield* answer.events;
    const reached = answer.resourceVersion ?? revision;
    if (answer.bookmark && this.isBookmarkDue(reached !== revision)) yield bookmark(answer.bookmark);
    return reached;
  }

  /** To an owner "0" means "from the start", in no order of change: a poll then only says that there is something now. */
  private async *first(answer: PollAnswer): AsyncGenerator<WatchEvent, string> {
    const { events, resourceVersion: reached = NOTHING_YET } = answer;
    if (events.length === 0 && reached === NOTHING_YET) return NOTHING_YET;
    const last = yield* existing(this.watch, {}, this.end);
    return last.metadata.resourceVersion;
  }

  private isBookmarkDue(hasMoved: boolean): boolean {
    const isDue = this.watch.options.allowBookmarks === true && (hasMoved || performance.now() >= this.bookmarkAt);
    if (isDue) this.bookmarkAt = performance.now() + BOOKMARK_EVERY_MS;
    return isDue;
  }

  private async poll(resourceVersion: string): Promise<PollAnswer> {
    const { type, options, context, pollMs = DEFAULT_POLL_MS } = this.watch;
    const waitMs = Math.min(pollMs, this.end.leftMs);
    const body = { type, options: { ...selectionOf(options), resourceVersion }, waitMs };
    return this.watch.poll(body, context, waitMs + POLL_MARGIN_MS);
  }
}

/** Tries again while the owner is away and there is time, the last time at the end of it: nothing is lost meanwhile. */
async function persistently<T>({ context }: RemoteWatch, end: End, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (context.signal?.aborted || end.isPast || !isOwnerAway(error)) throw error;
    }
    const jittered = pauseMs * (0.5 + Math.random() / 2);
    await delay(Math.min(jittered, end.leftMs), undefined, { signal: context.signal });
  }
}

/** A Timeout that the owner itself answered with, such as for a revision that is not reached yet, says its reason. One that stood still was away. */
function isOwnerAway(error: unknown): boolean {
  const { reason } = toPlatformError(error).details;
  return hasCode(error, 'Unavailable', 'Timeout') && (reason === undefined || reason === CALL_TOO_LATE);
}

function endOfInitialEvents(list: KubeList): WatchEvent {
  const { resourceVersion } = list.metadata;
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const metadata = { resourceVersion, annotations } as unknown as KubeObject['metadata'];
  return bookmark({ apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, ''), metadata });
}

function bookmark(object: KubeObject): WatchEvent {
  return { type: 'BOOKMARK', object };
}

function selectionOf({ namespace, labelSelector, fieldSelector }: WatchOptions): ListOptions {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}
