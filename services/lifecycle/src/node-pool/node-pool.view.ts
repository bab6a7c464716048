import { createHash } from 'node:crypto';
import {
  apiVersionOf,
  CLUSTER,
  CLUSTER_NAME_LABEL,
  NODE_POOL,
  NODE_POOL_LABEL,
  type Cluster,
  type KubeObject,
  type NodePool,
} from '@crate/api';
import { scaleObject } from '@crate/resource-server';

type Pool = Cluster['spec']['nodePools'][number];

/** Which pool of which cluster a name means. */
export interface PoolName {
  readonly cluster: string;
  readonly pool: string;
}

/** Name of a pool as an object. */
export function formatPoolName({ cluster, pool }: PoolName): string {
  return `${cluster}.${pool}`;
}

/** Undefined when the name cannot be one: neither clusters nor pools have dots in their names. */
export function parsePoolName(name: string): PoolName | undefined {
  const [cluster, pool, ...rest] = name.split('.');
  return cluster && pool && rest.length === 0 ? { cluster, pool } : undefined;
}

/** The pools of a cluster as objects, in the order of the spec. */
export function nodePoolsOf(cluster: Cluster): readonly NodePool[] {
  return cluster.spec.nodePools.map((pool) => nodePoolOf(cluster, pool));
}

/** The version of a pool is that of its cluster. */
function nodePoolOf(cluster: Cluster, pool: Pool): NodePool {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = cluster.metadata;
  const seen = cluster.status?.nodePools?.find((each) => each.name === pool.name);
  const { observedGeneration } = cluster.status ?? {};
  return {
    apiVersion: apiVersionOf(NODE_POOL),
    kind: NODE_POOL.kind,
    metadata: {
      name: formatPoolName({ cluster: name, pool: pool.name }),
      ...(namespace === undefined ? {} : { namespace }),
      uid: uidOf(uid, pool.name),
      resourceVersion,
      generation,
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      labels: { [CLUSTER_NAME_LABEL]: name, [NODE_POOL_LABEL]: pool.name },
      ownerReferences: [{ apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind, name, uid, controller: true }],
    },
    spec: { clusterRef: { name }, ...pool },
    status: {
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      replicas: seen?.nodes ?? 0,
      readyReplicas: seen?.ready ?? 0,
    },
  };
}

/**
 * What of a pool is news to a watcher: not how far its cluster has moved on, but whether somebody has looked at that since, or a pool
 * that was told of in between would be in progress for ever.
 */
export function newsOf({ metadata, spec, status }: NodePool): string {
  const { observedGeneration, ...seen } = status ?? {};
  const isObserved = observedGeneration === metadata.generation;
  return JSON.stringify([metadata.uid, metadata.deletionTimestamp, metadata.labels, spec, seen, isObserved]);
}

/** The autoscaling/v1 Scale of a pool. */
export function scaleOf({ metadata, spec, status }: NodePool): KubeObject {
  const selector = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const observed = status?.replicas ?? 0;
  return scaleObject({ metadata, desired: spec.replicas, observed, selector: selector.join(',') });
}

/** The same for as long as the cluster lives: a name-based UUID (RFC 9562, version 5) below the cluster's uid. */
function uidOf(clusterUid: string, pool: string): string {
  const hash = createHash('sha1').update(`${clusterUid}/${pool}`).digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.subarray(0, 16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
