import { setTimeout as delay } from 'node:timers/promises';
import type { KubeList, KubeObject, WatchEvent } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { CallContext, ListOptions, ResourceType, WatchOptions } from '@crate/resource-client';
import type { PollAnswer } from './poll-changes.js';

const DEFAULT_POLL_MS = 10_000;
/** What an answer may take on top of the time the owner holds it; after that the replica counts as dead. */
const POLL_MARGIN_MS = 2000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

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
  const { resourceVersion = NOTHING_YET, sendInitialEvents } = watch.options;
  let revision = resourceVersion;
  try {
    if (sendInitialEvents || revision === NOTHING_YET) revision = yield* initialEvents(watch, signal);
    while (!signal.aborted) revision = yield* nextEvents(watch, revision, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Yields what there is; returns the revision to go on from. */
async function* initialEvents(watch: RemoteWatch, signal: AbortSignal): AsyncGenerator<WatchEvent, string> {
  const list = await listAll(watch, signal);
  for (const object of list.items) yield { type: 'ADDED', object };
  if (watch.options.sendInitialEvents) yield endOfInitialEvents(list);
  return list.metadata.resourceVersion;
}

/** Yields what one poll brings; returns the revision to go on from. */
async function* nextEvents(
  watch: RemoteWatch,
  revision: string,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, string> {
  const answer = await persistently(signal, () => pollOnce(watch, revision, signal));
  if (revision === NOTHING_YET) return yield* firstEvents(watch, signal);
  yield* answer.events;
  const reached = answer.resourceVersion ?? revision;
  if (answer.bookmark && reached !== revision && watch.options.allowBookmarks) yield bookmark(answer.bookmark);
  return reached;
}

/** To an owner "0" means "from the start", in no order of change: a poll then only says that there is something now. */
async function* firstEvents(watch: RemoteWatch, signal: AbortSignal): AsyncGenerator<WatchEvent, string> {
  const list = await listAll(watch, signal);
  for (const object of list.items) yield { type: 'ADDED', object };
  return list.metadata.resourceVersion;
}

async function listAll({ list, options, context }: RemoteWatch, signal: AbortSignal): Promise<KubeList> {
  return persistently(signal, () => list(selectionOf(options), { ...context, signal }));
}

function endOf({ options, context }: RemoteWatch): AbortSignal {
  const ends = context.signal ? [context.signal] : [];
  if (options.timeoutMs !== undefined) ends.push(AbortSignal.timeout(options.timeoutMs));
  return AbortSignal.any(ends);
}

async function pollOnce(watch: RemoteWatch, resourceVersion: string, signal: AbortSignal): Promise<PollAnswer> {
  const waitMs = watch.pollMs ?? DEFAULT_POLL_MS;
  const body = { type: watch.type, options: { ...selectionOf(watch.options), resourceVersion }, waitMs };
  return watch.poll(body, { ...watch.context, signal }, waitMs + POLL_MARGIN_MS);
}

/** Tries again while the owner is away: nothing is lost meanwhile. */
async function persistently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !hasCode(error, 'Unavailable', 'Timeout')) throw error;
    }
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
  }
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
