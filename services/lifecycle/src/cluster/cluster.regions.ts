import { isExisting, type Cluster } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';

/**
 * Regions of AWS in partitions of their own, with other endpoints, ARNs and images than Crate knows.
 * Source: https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
 */
const APART = /^(cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/;

/** What is wrong with the region of a new cluster; one that is there keeps its region. */
export function regionCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  const { region } = cluster.spec;
  if (old || isExisting(cluster) || region === undefined || !APART.test(region)) return [];
  return [
    cause(
      'spec.region',
      region,
      'is in a partition of AWS of its own, which is not supported: take a commercial region',
    ),
  ];
}
