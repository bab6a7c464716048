import { KUBERNETES_CLUSTER, type KubeObject } from '@crate/api';
import type { ResourceApi } from '@crate/resource-client';
import type { SubresourceReader } from '@crate/resource-server';

/** Reads a cluster's admin kubeconfig from cluster-mgmt; throws NotFound until Kubernetes is up. */
export function clusterKubeconfig(clusterMgmt: ResourceApi): SubresourceReader {
  return (cluster: KubeObject, _ref, context) => {
    const { group, version, plural } = KUBERNETES_CLUSTER;
    const { name, namespace = '' } = cluster.metadata;
    return clusterMgmt.readSubresource({ group, version, plural, name, namespace }, 'kubeconfig', context);
  };
}
