import { setTimeout as delay } from 'node:timers/promises';
import { fromStatus, type KubernetesStatus } from '@crate/errors';
import type { ObjectMeta } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { isPassing } from '../client/passing.js';
import { selectionQuery, type Selection } from './lists.js';
import { collectionPath, type Collection } from './served-kinds.js';
import type { TableRow } from './server-table.js';

const AGAIN_MS = 1_000;

export interface WatchedChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: { readonly metadata: ObjectMeta; readonly rows?: readonly TableRow[] };
}

export interface WatchOptions extends Selection {
  readonly kind: Collection;
  readonly resourceVersion: string;
  /** Absent: plain objects. */
  readonly accept?: string;
}

/**
 * Changes after a revision, each once, over connections that end. Throws Gone when the revision is too old, and what
 * the API refuses.
 */
export async function* watchChanges(
  api: ApiClient,
  options: WatchOptions,
  againMs = AGAIN_MS,
): AsyncGenerator<WatchedChange> {
  const seen = { resourceVersion: options.resourceVersion };
  for (;;) {
    try {
      yield* changesOnce(api, options, seen);
    } catch (error) {
      // Other than a refusal, a connection that breaks is made anew behind what was seen.
      if (!isPassing(error)) throw error;
    }
    await delay(againMs);
  }
}

/** Over one connection; `seen` says behind what it begins, and afterwards how far it came. */
async function* changesOnce(
  api: ApiClient,
  options: WatchOptions,
  seen: { resourceVersion: string },
): AsyncGenerator<WatchedChange> {
  const { accept } = options;
  const path = pathOf(options, seen.resourceVersion);
  for await (const line of api.lines(path, accept === undefined ? {} : { accept })) {
    const { type, object } = JSON.parse(line) as {
      type: WatchedChange['type'] | 'BOOKMARK' | 'ERROR';
      object: WatchedChange['object'];
    };
    if (type === 'ERROR') throw fromStatus(object as unknown as KubernetesStatus);
    seen.resourceVersion = revisionOf(object) ?? seen.resourceVersion;
    if (type !== 'BOOKMARK') yield { type, object };
  }
}

function revisionOf({ metadata, rows }: WatchedChange['object']): string | undefined {
  return rows?.[0]?.object.metadata.resourceVersion ?? metadata?.resourceVersion;
}

function pathOf({ kind, ...selection }: WatchOptions, resourceVersion: string): string {
  const query = selectionQuery(selection);
  query.set('watch', 'true');
  query.set('allowWatchBookmarks', 'true');
  query.set('resourceVersion', resourceVersion);
  return `${collectionPath(kind, selection.namespace)}?${query.toString()}`;
}
