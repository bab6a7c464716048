import { apiVersionOf, type KubeObject, type WatchEvent } from '@crate/api';
import type { CallContext, WatchOptions } from '@crate/resource-client';
import type { ResourceStore, StoreListOptions, StoreQuery, StoreWatchOptions } from '@crate/resource-store';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import { statedRevision } from './local-list.js';

const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

/** What exists is read in pages, so that a reader that takes its time holds no more than one. */
const INITIAL_PAGE = 500;

export interface WatchInput {
  readonly kind: RegisteredKind;
  readonly query: StoreQuery;
  readonly options: WatchOptions;
  readonly context: CallContext;
  readonly bookmarkEveryMs: number;
}

/**
 * The events of a watch. Without a revision (or with "0") it begins with an ADDED for all that exists;
 * `sendInitialEvents` asks for those in any case, and marks their end.
 * Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch
 */
export async function* watchKind(store: ResourceStore, input: WatchInput): AsyncGenerator<WatchEvent> {
  const { kind, options } = input;
  let fromRevision = statedRevision(options.resourceVersion);
  if (options.sendInitialEvents ?? fromRevision === undefined) {
    fromRevision = yield* initialEvents(store, input, fromRevision);
    if (options.sendInitialEvents) yield bookmark(kind, fromRevision, INITIAL_EVENTS_END);
  }
  for await (const event of store.watch(input.query, storeOptions(input, fromRevision))) {
    yield event.type === 'BOOKMARK'
      ? bookmark(kind, event.object.metadata.resourceVersion)
      : { type: event.type, object: kind.present(event.object) };
  }
}

/** An ADDED for all that exists, of one snapshot; returns its revision. Throws Gone when the reader takes too long. */
async function* initialEvents(
  store: ResourceStore,
  { kind, query }: WatchInput,
  notBefore: string | undefined,
): AsyncGenerator<WatchEvent, string> {
  let place: StoreListOptions = notBefore === undefined ? {} : { notBefore };
  for (;;) {
    const { items, metadata } = await store.list(query, { limit: INITIAL_PAGE, ...place });
    for (const item of items) yield { type: 'ADDED', object: kind.present(item) };
    const { continue: token, resourceVersion } = metadata;
    if (token === undefined) return resourceVersion;
    place = { continue: token };
  }
}

function storeOptions(input: WatchInput, fromRevision: string | undefined): StoreWatchOptions {
  const { options, context, bookmarkEveryMs } = input;
  return {
    ...(fromRevision === undefined ? {} : { fromRevision }),
    ...(options.timeoutMs === undefined ? {} : { endAfterMs: options.timeoutMs }),
    ...(options.allowBookmarks ? { bookmarkEveryMs } : {}),
    signal: context.signal ?? new AbortController().signal,
  };
}

function bookmark(kind: RegisteredKind, resourceVersion: string, annotations?: Record<string, string>): WatchEvent {
  const metadata = { resourceVersion, creationTimestamp: null, ...(annotations ? { annotations } : {}) };
  const object = { apiVersion: apiVersionOf(kind.definition), kind: kind.definition.kind, metadata };
  return { type: 'BOOKMARK', object: object as unknown as KubeObject };
}
