import { apiVersionOf, CLUSTER, mostZonesOf, type KubeObjectInput } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { PoolWish, ClusterWish } from './cluster-wish.js';

/** The pool that `--nodes` speaks of. */
const POOL = 'workers';

/** The document that a person would write. Throws BadRequest when options contradict each other. */
export function clusterDocument(name: string, namespace: string, wish: ClusterWish): KubeObjectInput {
  const { account, region, version, controlPlane, param, addOn } = wish;
  const pools = poolsOf(wish);
  const zones = zonesOf(wish);
  const spec = {
    ...(account === undefined ? {} : { accountRef: { name: account } }),
    ...(region === undefined ? {} : { region }),
    ...(wish.class === undefined ? {} : { classRef: { name: wish.class } }),
    ...(Object.keys(param).length === 0 ? {} : { parameters: param }),
    ...(version === undefined ? {} : { kubernetes: { version: versionOf(version) } }),
    ...(controlPlane === undefined ? {} : { controlPlane: { replicas: controlPlane } }),
    ...(zones === undefined ? {} : { network: { availabilityZones: zones } }),
    ...(pools.length === 0 ? {} : { nodePools: pools }),
    ...(addOn.length === 0 ? {} : { addOns: addOn.map((each) => ({ name: each })) }),
  };
  return { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind, metadata: { name, namespace }, spec };
}

/** Where the default is more than the region has, and would be refused. A class says its own number. */
function zonesOf(wish: ClusterWish): number | undefined {
  return wish.class === undefined && wish.region !== undefined ? mostZonesOf(wish.region) : undefined;
}

function poolsOf({ nodes, machineType, pool }: ClusterWish): readonly PoolWish[] {
  if (pool.length > 0 && (nodes !== undefined || machineType !== undefined)) {
    throw badRequest(
      '--nodes and --machine-type are for a cluster of one pool; with --pool say NAME=COUNT:MACHINE-TYPE',
    );
  }
  if (nodes === undefined && machineType !== undefined) throw badRequest('--machine-type needs --nodes');
  if (nodes === undefined) return pool;
  return [{ name: POOL, replicas: nodes, ...(machineType === undefined ? {} : { machineType }) }];
}

/** `1.31.4` means `v1.31.4`. */
export function versionOf(text: string): string {
  return /^\d/.test(text) ? `v${text}` : text;
}
