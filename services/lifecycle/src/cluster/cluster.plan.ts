import { CLUSTER, INFRASTRUCTURE, isExisting, type Cluster } from '@crate/api';
import { hasCode, notFound } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import type { SubresourceReader } from '@crate/resource-server';

/** Reads what is planned for a cluster's cloud resources from cloud-mgmt. Throws NotFound while nothing was planned yet. */
export function clusterPlan(cloudMgmt: ResourceApi): SubresourceReader {
  return async (cluster, _ref, context) => {
    const { group, version, plural } = INFRASTRUCTURE;
    const { name, namespace = '' } = cluster.metadata;
    if (isExisting(cluster as Cluster)) throw notFound('plans', name, CLUSTER.group);
    try {
      return await cloudMgmt.readSubresource({ group, version, plural, name, namespace }, 'plan', context);
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      throw notFound('plans', name, CLUSTER.group);
    }
  };
}
