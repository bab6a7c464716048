import { isExisting, mostZonesOf, type Cluster } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';

/**
 * Regions of AWS in partitions of their own, with other endpoints, ARNs and images than Crate knows.
 * Source: https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
 */
const APART = /^(cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/;

/** What is wrong with the region of a new cluster, and with its zones there; one that is there keeps both. */
export function regionCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  const { region, network } = cluster.spec;
  if (old || isExisting(cluster) || region === undefined) return [];
  if (!APART.test(region)) return zoneCauses(region, network?.availabilityZones);
  return [
    cause(
      'spec.region',
      region,
      'is in a partition of AWS of its own, which is not supported: take a commercial region',
    ),
  ];
}

/** AWS would refuse the last subnet only once the others have cost, and the number of zones can never be changed. */
function zoneCauses(region: string, zones: number | undefined): ErrorCause[] {
  const most = mostZonesOf(region);
  if (most === undefined || zones === undefined || zones <= most) return [];
  return [cause('spec.network.availabilityZones', zones, `must be at most ${most}: ${region} has no more`)];
}
