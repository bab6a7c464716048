import { CLUSTER, type Cluster, type NodePool, isJsonObject } from '@crate/api';
import { conflict, hasCode } from '@crate/errors';
import type { CallContext, ResourceApi, ResourceRef, SubresourceWrite, WriteResult } from '@crate/resource-client';
import { jsonEqual, writtenScale, type WrittenScale } from '@crate/resource-server';
import { nodePoolsOf } from './node-pool.view.js';

const RACES_BEFORE_GIVING_UP = 10;

/** Finds a pool and where it stands in its cluster; throws NotFound. */
export type FindPool = () => Promise<{ readonly cluster: Cluster; readonly pool: NodePool; readonly index: number }>;

/**
 * Sets the replicas of one pool in its Cluster, as a write of the caller's: admission judges the whole Cluster. A Scale that
 * names a version is refused when the pool changed since, whatever else happened to its cluster.
 */
export async function scalePool(
  clusters: ResourceApi,
  find: FindPool,
  write: SubresourceWrite,
  context: CallContext,
): Promise<NodePool> {
  const wanted = writtenScale(write.body);
  for (let race = 1; ; race += 1) {
    const { cluster, pool, index } = await find();
    await checkUnchanged(clusters, pool, wanted, context);
    try {
      const { object } = await patch(clusters, { cluster, pool, index }, wanted, { write, context });
      return nodePoolsOf(object as Cluster)[index] ?? pool;
    } catch (error) {
      if (!isRace(error) || race === RACES_BEFORE_GIVING_UP) throw error;
    }
  }
}

/** The `test`s fail when somebody else changed the pools since they were looked at; then it is done anew. */
function patch(
  clusters: ResourceApi,
  { cluster, pool, index }: Awaited<ReturnType<FindPool>>,
  { replicas }: WrittenScale,
  { write, context }: { readonly write: SubresourceWrite; readonly context: CallContext },
): Promise<WriteResult> {
  const path = `/spec/nodePools/${index}`;
  const operations = [
    { op: 'test', path: '/metadata/uid', value: cluster.metadata.uid },
    { op: 'test', path: `${path}/name`, value: pool.spec.name },
    { op: 'test', path: `${path}/replicas`, value: pool.spec.replicas },
    { op: 'replace', path: `${path}/replicas`, value: replicas },
  ];
  const { dryRun, fieldManager } = write;
  const options = {
    type: 'json' as const,
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(fieldManager === undefined ? {} : { fieldManager }),
  };
  return clusters.patch(clusterRef(cluster), operations, options, context);
}

/** A patch that did not fit has no causes; one that admission refuses has. */
function isRace(error: unknown): boolean {
  if (hasCode(error, 'Conflict')) return true;
  const details: unknown = isJsonObject(error) ? error['details'] : undefined;
  return hasCode(error, 'InvalidSpec') && !(isJsonObject(details) && Array.isArray(details['causes']));
}

async function checkUnchanged(
  clusters: ResourceApi,
  pool: NodePool,
  { resourceVersion, uid }: WrittenScale,
  context: CallContext,
): Promise<void> {
  const { metadata } = pool;
  const isOther = uid !== undefined && uid !== metadata.uid;
  if (isOther) throw changed(pool);
  if (resourceVersion === undefined || resourceVersion === metadata.resourceVersion) return;
  const before = await poolAt(clusters, pool, resourceVersion, context);
  if (!before || before.metadata.uid !== metadata.uid || !jsonEqual(before.spec, pool.spec)) throw changed(pool);
}

/** The pool as it was; undefined when it was not there, or that is too long ago to be known. */
async function poolAt(
  clusters: ResourceApi,
  { metadata, spec }: NodePool,
  resourceVersion: string,
  context: CallContext,
): Promise<NodePool | undefined> {
  const { namespace } = metadata;
  const fieldSelector = `metadata.name=${spec.clusterRef.name}`;
  const scope = { fieldSelector, ...(namespace === undefined ? {} : { namespace }) };
  try {
    const { items } = await clusters.list(
      CLUSTER,
      { ...scope, resourceVersion, resourceVersionMatch: 'Exact' },
      context,
    );
    return (items as readonly Cluster[]).flatMap(nodePoolsOf).find((each) => each.metadata.name === metadata.name);
  } catch (error) {
    if (hasCode(error, 'Gone', 'Timeout')) return undefined;
    throw error;
  }
}

function changed({ metadata: { name } }: NodePool): Error {
  const resource = `nodepools.lifecycle.crate.dev "${name}"`;
  const message = `Operation cannot be fulfilled on ${resource}: the node pool has been modified; please apply your changes to the latest version and try again`;
  return conflict(message, { group: 'lifecycle.crate.dev', kind: 'nodepools', name });
}

/** Names a cluster for the API. */
export function clusterRef({ metadata: { name, namespace } }: Pick<Cluster, 'metadata'>): ResourceRef {
  const { group, version, plural } = CLUSTER;
  return { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
}
