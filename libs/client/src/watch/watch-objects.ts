import { setTimeout as delay } from 'node:timers/promises';
import type { KubeList, KubeObject, WatchEvent } from '@crate/api';
import { fromStatus, hasCode, isPlatformError, type KubernetesStatus } from '@crate/errors';
import { KnownObjects } from './known-objects.js';

/** Pauses after a broken connection: doubled up to the longest, and back to the first once something came. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** A server that asks for more patience than this is asked again all the same. */
const LONGEST_ASKED_MS = 5 * 60_000;
/** A stream that ends sooner than this, with nothing said, counts as broken. */
const SHORT_MS = 1_000;
/** What gives no hope that trying again helps. */
const FINAL_CODES = new Set([
  'BadRequest',
  'Forbidden',
  'InvalidSpec',
  'MethodNotAllowed',
  'NotFound',
  'Unauthenticated',
  'UnsupportedMediaType',
]);

/** An event as it is sent; a failure comes as a Status. */
type SentEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Partial<KubernetesStatus> };

/** How to list all, and to hear of changes from there on. */
export interface WatchSource<T extends KubeObject> {
  readonly list: () => Promise<KubeList<T>>;
  readonly changes: (resourceVersion: string) => AsyncIterable<SentEvent<T>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * All that exists as ADDED, and from there every change, for as long as the caller goes on. Broken connections are taken up where they broke;
 * when the server does not know that far back, what changed meanwhile is found by listing anew, and told as changes.
 * Throws what trying again cannot help, such as Forbidden; ends when the signal aborts.
 */
export async function* watchObjects<T extends KubeObject>(source: WatchSource<T>): AsyncGenerator<WatchEvent<T>> {
  const known = new KnownObjects<T>();
  const state = { version: undefined as string | undefined, pauseMs: FIRST_PAUSE_MS };
  while (!isOver(source)) {
    try {
      yield* relist(source, known, state);
      const isBroken = yield* follow(source, known, state);
      if (isBroken) await pause(state, source.signal);
    } catch (error) {
      if (isOver(source)) return;
      if (isPlatformError(error) && FINAL_CODES.has(error.code)) throw error;
      if (hasCode(error, 'Gone')) state.version = undefined;
      await pause(state, source.signal, error);
    }
  }
}

function isOver({ signal }: { readonly signal?: AbortSignal | undefined }): boolean {
  return signal?.aborted === true;
}

interface State {
  version: string | undefined;
  pauseMs: number;
}

async function* relist<T extends KubeObject>(
  source: WatchSource<T>,
  known: KnownObjects<T>,
  state: State,
): AsyncGenerator<WatchEvent<T>> {
  if (state.version !== undefined) return;
  const { items, metadata } = await source.list();
  yield* known.replace(items);
  state.version = metadata.resourceVersion;
}

/** Returns whether the stream ended as one that has no use does. */
async function* follow<T extends KubeObject>(
  source: WatchSource<T>,
  known: KnownObjects<T>,
  state: State,
): AsyncGenerator<WatchEvent<T>, boolean> {
  const startedAt = performance.now();
  let isSilent = true;
  for await (const event of source.changes(state.version ?? '0')) {
    if (event.type === 'ERROR') throw fromStatus(event.object);
    state.pauseMs = FIRST_PAUSE_MS;
    isSilent = false;
    // A caller that stops here has seen the event; one that fails on it sees it again nowhere.
    state.version = event.object.metadata.resourceVersion;
    if (event.type === 'BOOKMARK') continue;
    known.note(event);
    yield event;
  }
  return isSilent && performance.now() - startedAt < SHORT_MS;
}

/** What the server asked for comes on top: those that it sent away together do not return at once. */
async function pause(state: State, signal: AbortSignal | undefined, error?: unknown): Promise<void> {
  const askedMs = (isPlatformError(error) ? error.details.retryAfterMs : undefined) ?? 0;
  const waitMs = Math.min(askedMs, LONGEST_ASKED_MS) + state.pauseMs * (0.5 + Math.random() / 2);
  state.pauseMs = Math.min(state.pauseMs * 2, LONGEST_PAUSE_MS);
  await delay(waitMs, undefined, signal ? { signal } : {}).catch(() => undefined);
}
