import { apiVersionOf, type KubeObject, type WatchEvent } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { CallContext, WatchOptions } from '@crate/resource-client';
import type { ResourceStore, StoreQuery, StoreWatchOptions } from '@crate/resource-store';
import type { RegisteredKind } from '../kinds/kind-registry.js';

const BOOKMARK_EVERY_MS = 60_000;
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

export interface WatchInput {
  readonly kind: RegisteredKind;
  readonly query: StoreQuery;
  readonly options: WatchOptions;
  readonly context: CallContext;
}

/**
 * The events of a watch. Without a revision (or with "0") it begins with an ADDED for all that exists;
 * `sendInitialEvents` asks for those in any case, and marks their end.
 * Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch
 */
export async function* watchKind(store: ResourceStore, input: WatchInput): AsyncGenerator<WatchEvent> {
  const { kind, query, options } = input;
  let fromRevision = startOf(options);
  if (options.sendInitialEvents ?? fromRevision === undefined) {
    const page = await store.list(query);
    fromRevision = page.metadata.resourceVersion;
    for (const item of page.items) yield { type: 'ADDED', object: kind.present(item) };
    if (options.sendInitialEvents) yield bookmark(kind, fromRevision, INITIAL_EVENTS_END);
  }
  for await (const event of store.watch(query, storeOptions(input, fromRevision))) {
    yield event.type === 'BOOKMARK'
      ? bookmark(kind, event.object.metadata.resourceVersion)
      : { type: event.type, object: kind.present(event.object) };
  }
}

/** The revision to begin after; undefined when the client has none. */
function startOf({ resourceVersion = '' }: WatchOptions): string | undefined {
  if (!/^\d*$/.test(resourceVersion)) throw badRequest(`invalid resourceVersion ${JSON.stringify(resourceVersion)}`);
  return resourceVersion === '' || resourceVersion === '0' ? undefined : resourceVersion;
}

function storeOptions(input: WatchInput, fromRevision: string | undefined): StoreWatchOptions {
  return {
    ...(fromRevision === undefined ? {} : { fromRevision }),
    signal: signalOf(input),
    ...(input.options.allowBookmarks ? { bookmarkEveryMs: BOOKMARK_EVERY_MS } : {}),
  };
}

function signalOf({ options, context }: WatchInput): AbortSignal {
  const signals = [
    ...(context.signal ? [context.signal] : []),
    ...(options.timeoutMs === undefined ? [] : [AbortSignal.timeout(options.timeoutMs)]),
  ];
  return AbortSignal.any(signals);
}

function bookmark(kind: RegisteredKind, resourceVersion: string, annotations?: Record<string, string>): WatchEvent {
  const metadata = { resourceVersion, creationTimestamp: null, ...(annotations ? { annotations } : {}) };
  const object = { apiVersion: apiVersionOf(kind.definition), kind: kind.definition.kind, metadata };
  return { type: 'BOOKMARK', object: object as unknown as KubeObject };
}
