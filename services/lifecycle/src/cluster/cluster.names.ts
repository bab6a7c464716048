import { isExisting, type Cluster } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';

/** Load balancers and security groups are named after the cluster, with more behind a hyphen, and AWS lets nobody begin such a name so. */
const RESERVED = /^(internal|sg)(-|$)/;

/**
 * What is wrong with the name of a new cluster for what is named after it in the cloud; a cluster that is there keeps its name. How long
 * names may be is for policies to say.
 */
export function nameCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  if (old || isExisting(cluster)) return [];
  const { name } = cluster.metadata;
  const [, word] = RESERVED.exec(name) ?? [];
  return word ? [cause('metadata.name', name, `must not begin with "${word}", which AWS keeps for itself`)] : [];
}
