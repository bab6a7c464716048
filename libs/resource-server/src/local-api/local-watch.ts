import { apiVersionOf, type KubeObject, type WatchEvent } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { CallContext, WatchOptions } from '@crate/resource-client';
import type { ResourceStore, StoreQuery } from '@crate/resource-store';
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
  const { resourceVersion = '', sendInitialEvents } = options;
  if (!/^\d*$/.test(resourceVersion)) throw badRequest(`invalid resourceVersion ${JSON.stringify(resourceVersion)}`);
  const isFromStart = resourceVersion === '' || resourceVersion === '0';
  let fromRevision = isFromStart ? undefined : resourceVersion;
  if (sendInitialEvents ?? isFromStart) {
    const page = await store.list(query);
    fromRevision = page.metadata.resourceVersion;
    for (const item of page.items) yield { type: 'ADDED', object: kind.present(item) };
    if (sendInitialEvents) yield bookmark(kind, fromRevision, INITIAL_EVENTS_END);
  }
  const changes = store.watch(query, {
    ...(fromRevision === undefined ? {} : { fromRevision }),
    signal: signalOf(input),
    // A watch that ends earlier gets one before its end, so that the next one need not start from an old revision.
    ...(options.allowBookmarks
      ? { bookmarkEveryMs: Math.min(BOOKMARK_EVERY_MS, (options.timeoutMs ?? Infinity) * 0.8) }
      : {}),
  });
  for await (const event of changes) {
    yield event.type === 'BOOKMARK'
      ? bookmark(kind, event.object.metadata.resourceVersion)
      : { type: event.type, object: kind.present(event.object) };
  }
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
