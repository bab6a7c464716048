import {
  CLUSTER,
  NODE_POOL,
  type Cluster,
  type KubeList,
  type KubeObject,
  type NodePool,
  type WatchEvent,
} from '@crate/api';
import { notFound } from '@crate/errors';
import {
  findObject,
  ViewApi,
  type CallContext,
  type ListOptions,
  type ResourceApi,
  type ResourceRef,
  type ResourceType,
  type SubresourceWrite,
  type WatchOptions,
} from '@crate/resource-client';
import { listPools } from './node-pool.pages.js';
import { scalePool } from './node-pool.scale.js';
import { poolSelection } from './node-pool.selection.js';
import { nodePoolsOf, parsePoolName, scaleOf } from './node-pool.view.js';
import { watchPools } from './node-pool.watch.js';

const SCALE = 'scale';

/** Node pools as objects of their own: a view of Clusters, stored nowhere else. */
export class NodePoolApi extends ViewApi {
  constructor(private readonly clusters: ResourceApi) {
    super(NODE_POOL);
  }

  override async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    return (await this.find(ref, context)).pool;
  }

  override async list(_type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    return listPools(this.clusters, poolSelection(options), options, context);
  }

  override watch(_type: ResourceType, options: WatchOptions, context: CallContext): AsyncIterable<WatchEvent> {
    return watchPools({ clusters: this.clusters, selection: poolSelection(options), options, context });
  }

  override async readSubresource(ref: ResourceRef, subresource: string, context: CallContext): Promise<unknown> {
    if (subresource !== SCALE && subresource !== 'status') return super.readSubresource(ref, subresource, context);
    const { pool } = await this.find(ref, context);
    return subresource === SCALE ? scaleOf(pool) : pool;
  }

  override async writeSubresource(
    ref: ResourceRef,
    subresource: string,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown> {
    if (subresource !== SCALE || write.verb === 'create')
      return super.writeSubresource(ref, subresource, write, context);
    return scaleOf(await scalePool(this.clusters, () => this.find(ref, context), write, context));
  }

  private async find(
    { name, namespace }: ResourceRef,
    context: CallContext,
  ): Promise<{ readonly cluster: Cluster; readonly pool: NodePool; readonly index: number }> {
    const parts = parsePoolName(name);
    const cluster = parts && (await this.clusterNamed(parts.cluster, namespace, context));
    const pools = cluster ? nodePoolsOf(cluster) : [];
    const index = pools.findIndex((each) => each.spec.name === parts?.pool);
    const pool = pools[index];
    if (!cluster || !pool) throw notFound(NODE_POOL.plural, name, NODE_POOL.group);
    return { cluster, pool, index };
  }

  private async clusterNamed(
    name: string,
    namespace: string | undefined,
    context: CallContext,
  ): Promise<Cluster | undefined> {
    const { group, version, plural } = CLUSTER;
    const ref = { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
    return (await findObject(this.clusters, ref, context)) as Cluster | undefined;
  }
}
