import {
  apiVersionOf,
  CLUSTER,
  NODE_POOL,
  type Cluster,
  type KubeObject,
  type NodePool,
  type WatchEvent,
} from '@crate/api';
import type { CallContext, ListOptions, ResourceApi, WatchOptions } from '@crate/resource-client';
import { asOfWatch } from '@crate/resource-store';
import { listPools } from './node-pool.pages.js';
import type { PoolSelection } from './node-pool.selection.js';
import { newsOf, nodePoolsOf } from './node-pool.view.js';

const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };
const PAGE = 500;

/** Over which clusters, for which pools, for whom. */
export interface PoolWatch {
  readonly clusters: ResourceApi;
  readonly selection: PoolSelection;
  readonly options: WatchOptions;
  readonly context: CallContext;
}

/**
 * Changes of pools, made of changes of clusters. What pools there were when the watch begins is read first, so that one
 * that comes or goes is told from one that changes.
 */
export async function* watchPools(watch: PoolWatch): AsyncGenerator<WatchEvent> {
  const { clusters, selection, options, context } = watch;
  const known = new KnownPools(selection);
  const revision = yield* begin(watch, known);
  const { allowBookmarks, timeoutMs } = options;
  const stated = {
    ...(allowBookmarks === undefined ? {} : { allowBookmarks }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const scope = { ...selection.clusters, resourceVersion: revision, ...stated };
  for await (const { type, object } of clusters.watch(CLUSTER, scope, context)) {
    if (type === 'BOOKMARK') yield bookmark(object.metadata.resourceVersion);
    else yield* known.replace(object as Cluster, type === 'DELETED');
  }
}

/** Reads what exists, and tells it when that is asked for; returns the revision it is of. */
async function* begin(
  { clusters, selection, options, context }: PoolWatch,
  known: KnownPools,
): AsyncGenerator<WatchEvent, string> {
  const { sendInitialEvents } = options;
  const from = statedRevision(options);
  const isTold = sendInitialEvents ?? from === undefined;
  let place: ListOptions = placeOf(from, isTold);
  for (;;) {
    const page = listPools(clusters, selection, { limit: PAGE, ...place }, context);
    const { items, metadata } = await page.catch((error: unknown) => {
      throw isTold ? error : asOfWatch(error);
    });
    for (const pool of items) {
      known.add(pool);
      if (isTold) yield { type: 'ADDED', object: pool };
    }
    if (metadata.continue !== undefined) {
      place = { continue: metadata.continue };
      continue;
    }
    if (sendInitialEvents) yield bookmark(metadata.resourceVersion, INITIAL_EVENTS_END);
    return metadata.resourceVersion;
  }
}

/** Undefined when the watcher has seen nothing yet. */
function statedRevision({ resourceVersion = '' }: WatchOptions): string | undefined {
  return resourceVersion === '0' || resourceVersion === '' ? undefined : resourceVersion;
}

function placeOf(from: string | undefined, isTold: boolean): ListOptions {
  if (from === undefined) return {};
  return { resourceVersion: from, resourceVersionMatch: isTold ? 'NotOlderThan' : 'Exact' };
}

/** The pools that a watcher knows of, by cluster. */
class KnownPools {
  private readonly byCluster = new Map<string, Map<string, NodePool>>();

  constructor(private readonly selection: PoolSelection) {}

  add(pool: NodePool): void {
    const key = `${pool.metadata.namespace ?? ''}/${pool.spec.clusterRef.name}`;
    const pools = this.byCluster.get(key) ?? new Map<string, NodePool>();
    pools.set(pool.metadata.name, pool);
    this.byCluster.set(key, pools);
  }

  /** What a change of a cluster means for its pools. */
  replace(cluster: Cluster, isGone: boolean): readonly WatchEvent[] {
    const { name, namespace, resourceVersion } = cluster.metadata;
    const key = `${namespace ?? ''}/${name}`;
    const before = this.byCluster.get(key) ?? new Map<string, NodePool>();
    const now = isGone ? [] : nodePoolsOf(cluster).filter(this.selection.matches);
    const after = new Map(now.map((pool) => [pool.metadata.name, pool]));
    if (after.size > 0) this.byCluster.set(key, after);
    else this.byCluster.delete(key);
    return resumable(differences(before, after, resourceVersion), resourceVersion);
  }
}

function differences(
  before: ReadonlyMap<string, NodePool>,
  after: ReadonlyMap<string, NodePool>,
  resourceVersion: string,
): readonly WatchEvent[] {
  const events: WatchEvent[] = [];
  for (const [name, pool] of before) {
    const isSame = after.get(name)?.metadata.uid === pool.metadata.uid;
    if (!isSame) events.push({ type: 'DELETED', object: atVersion(pool, resourceVersion) });
  }
  for (const [name, pool] of after) {
    const old = before.get(name);
    if (old?.metadata.uid !== pool.metadata.uid) events.push({ type: 'ADDED', object: pool });
    else if (newsOf(old) !== newsOf(pool)) events.push({ type: 'MODIFIED', object: pool });
  }
  return events;
}

/**
 * One change of a cluster may be several of pools. All but the last carry the revision before it: whoever goes on from there
 * after a connection broke in between is told of all of them again, and misses none.
 */
function resumable(events: readonly WatchEvent[], resourceVersion: string): readonly WatchEvent[] {
  const before = String(BigInt(resourceVersion) - 1n);
  return events.map((event, index) =>
    index === events.length - 1 ? event : { ...event, object: atVersion(event.object, before) },
  );
}

function atVersion<T extends KubeObject>(object: T, resourceVersion: string): T {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function bookmark(resourceVersion: string, annotations?: Record<string, string>): WatchEvent {
  const metadata = { resourceVersion, creationTimestamp: null, ...(annotations ? { annotations } : {}) };
  const object = { apiVersion: apiVersionOf(NODE_POOL), kind: NODE_POOL.kind, metadata };
  return { type: 'BOOKMARK', object: object as unknown as KubeObject };
}
