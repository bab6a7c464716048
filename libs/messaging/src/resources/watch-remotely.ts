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
 */
export async function* watchRemotely(watch: RemoteWatch): AsyncGenerator<WatchEvent> {
  const signal = endOf(watch);
  const polls = new Polls(watch, signal);
  try {
    let revision = yield* beginning(watch, signal);
    while (!signal.aborted) revision = yield* polls.next(revision);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Yields what there is when that is asked for; returns the revision to go on from. */
async function* beginning(watch: RemoteWatch, signal: AbortSignal): AsyncGenerator<WatchEvent, string> {
  const { resourceVersion = '', sendInitialEvents } = watch.options;
  const isStated = resourceVersion !== '' && resourceVersion !== NOTHING_YET;
  if (sendInitialEvents ?? !isStated) return yield* initialEvents(watch, signal);
  return isStated ? resourceVersion : newestRevision(watch, signal);
}

async function* initialEvents(watch: RemoteWatch, signal: AbortSignal): AsyncGenerator<WatchEvent, string> {
  const { resourceVersion, sendInitialEvents } = watch.options;
  const place = resourceVersion ? { resourceVersion, resourceVersionMatch: 'NotOlderThan' as const } : {};
  const last = yield* existing(watch, place, signal);
  if (sendInitialEvents) yield endOfInitialEvents(last);
  return last.metadata.resourceVersion;
}

/** Yields an ADDED for each object of one snapshot; returns its last page. */
async function* existing(
  watch: RemoteWatch,
  place: ListOptions,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, KubeList> {
  for (let from = place; ;) {
    const page = await listPage(watch, { ...from, limit: INITIAL_PAGE }, signal);
    for (const object of page.items) yield { type: 'ADDED', object };
    const token = page.metadata.continue;
    if (token === undefined) return page;
    from = { continue: token };
  }
}

async function newestRevision(watch: RemoteWatch, signal: AbortSignal): Promise<string> {
  return (await listPage(watch, { limit: 1 }, signal)).metadata.resourceVersion;
}

async function listPage(watch: RemoteWatch, place: ListOptions, signal: AbortSignal): Promise<KubeList> {
  const options = { ...selectionOf(watch.options), ...place };
  return persistently(signal, () => watch.list(options, { ...watch.context, signal }));
}

/** The long polls of one watch, one after the other. */
class Polls {
  private bookmarkAt = performance.now() + BOOKMARK_EVERY_MS;

  constructor(
    private readonly watch: RemoteWatch,
    private readonly signal: AbortSignal,
  ) {}

  /** Yields what one poll brings; returns the revision to go on from. */
  async *next(revision: string): AsyncGenerator<WatchEvent, string> {
    const answer = await persistently(this.signal, () => this.poll(revision));
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
    const last = yield* existing(this.watch, {}, this.signal);
    return last.metadata.resourceVersion;
  }

  private isBookmarkDue(hasMoved: boolean): boolean {
    const isDue = this.watch.options.allowBookmarks === true && (hasMoved || performance.now() >= this.bookmarkAt);
    if (isDue) this.bookmarkAt = performance.now() + BOOKMARK_EVERY_MS;
    return isDue;
  }

  private async poll(resourceVersion: string): Promise<PollAnswer> {
    const { type, options, context, pollMs: waitMs = DEFAULT_POLL_MS } = this.watch;
    const body = { type, options: { ...selectionOf(options), resourceVersion }, waitMs };
    return this.watch.poll(body, { ...context, signal: this.signal }, waitMs + POLL_MARGIN_MS);
  }
}

function endOf({ options, context }: RemoteWatch): AbortSignal {
  const ends = context.signal ? [context.signal] : [];
  if (options.timeoutMs !== undefined) ends.push(AbortSignal.timeout(options.timeoutMs));
  return AbortSignal.any(ends);
}

/** Tries again while the owner is away: nothing is lost meanwhile. */
async function persistently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isOwnerAway(error)) throw error;
    }
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
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
