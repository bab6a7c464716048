import { isOfCluster } from '../world/cluster-tag.js';
import type { Acknowledged } from '../users/ledger.js';
import type { World } from '../world/world.js';
import type { Invariant } from './invariant.js';

const MADE = ['aws_lb', 'aws_ebs_volume'] as const;

/** 1: what a cluster has made in the cloud for its workloads is there for as long as the cluster is. */
export const exposedStay: Invariant = (world) =>
  world.acknowledged
    .filter(({ what }) => what === 'exposed')
    .flatMap((entry) => missingOf(world, entry))
    .map((message) => ({ invariant: 'what workloads have in the cloud stays', message }));

function missingOf({ clusters, infrastructures, cloud }: World, { uid, name }: Acknowledged): readonly string[] {
  const cluster = clusters.find(({ metadata }) => metadata.uid === uid);
  if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return [];
  const { namespace } = cluster.metadata;
  const below = infrastructures.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const made = cloud.filter((object) => below && isOfCluster(below, object)).map(({ type }) => type);
  return MADE.filter((type) => !made.includes(type)).map((type) => `Cluster ${name} has lost its ${type}`);
}
