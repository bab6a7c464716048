import { apiVersionOf, NODE_POOL, type Cluster, type KubeObject } from '@crate/api';
import { badRequest, PlatformError } from '@crate/errors';
import { clusterAt, type ClusterAt } from '../clusters/cluster-at.js';
import type { WritingOptions } from '../clusters/cluster-options.js';
import { untilReadyOrLeft } from '../clusters/until-ready.js';
import { printObject } from '../objects/object-output.js';
import { isData, say } from '../output/print.js';

type Pool = Cluster['spec']['nodePools'][number];

interface ScaleOptions extends WritingOptions {
  readonly pool?: string;
  readonly replicas: number;
  readonly dryRun?: true;
  readonly wait?: true;
  readonly timeout: number;
}

export async function runClustersScale(name: string, options: ScaleOptions): Promise<void> {
  const at = await clusterAt(name, options);
  const { spec } = await at.api.get<Cluster>(at.path);
  const pool = poolOf(name, spec.nodePools, options.pool);
  await scale(at, pool, options);
  if (options.dryRun || !options.wait) return;
  await untilReadyOrLeft(at, options.timeout);
  say(options.output, `Cluster "${name}" is Ready`);
}

async function scale(at: ClusterAt, pool: Pool, { replicas, dryRun, output }: ScaleOptions): Promise<void> {
  const path = `${poolPath(at, pool.name)}/scale`;
  const named = `Pool ${pool.name} of cluster "${at.name}"`;
  if (pool.replicas === replicas) {
    say(output, `${named} is set to ${replicas} machines already`);
    if (isData(output)) printObject(output, await at.api.get<KubeObject>(path));
    return;
  }
  const scaled = await at.api.merge<KubeObject>(`${path}${dryRun ? '?dryRun=All' : ''}`, { spec: { replicas } });
  const state = dryRun ? 'could be scaled (dry run)' : 'is being scaled';
  printObject(output, scaled, `${named} ${state} from ${pool.replicas} to ${replicas} machines`);
}

function poolOf(cluster: string, pools: readonly Pool[], asked: string | undefined): Pool {
  const known = pools.map(({ name }) => name).join(', ') || 'none';
  if (asked === undefined) {
    const [only, ...more] = pools;
    if (only && more.length === 0) return only;
    throw badRequest(`Say which pool with --pool; cluster "${cluster}" has: ${known}`);
  }
  const found = pools.find(({ name }) => name === asked);
  if (!found) throw new PlatformError('NotFound', `Cluster "${cluster}" has no pool "${asked}"; it has: ${known}`);
  return found;
}

function poolPath({ namespace, name }: ClusterAt, pool: string): string {
  const scope = `/apis/${apiVersionOf(NODE_POOL)}/namespaces/${encodeURIComponent(namespace)}`;
  return `${scope}/${NODE_POOL.plural}/${encodeURIComponent(`${name}.${pool}`)}`;
}
