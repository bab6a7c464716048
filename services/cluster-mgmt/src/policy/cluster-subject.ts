import { CLUSTER_PROVIDER_LABEL, type KubernetesCluster, type PolicySubject } from '@crate/api';

/** What rules know of the cluster that a document is for. Its labels are those of the Cluster, which hands them down. */
export function clusterSubject({ metadata, spec }: KubernetesCluster): Omit<PolicySubject, 'name'> {
  const { namespace = '', labels } = metadata;
  const provider = labels?.[CLUSTER_PROVIDER_LABEL];
  return {
    ...{ namespace, cluster: spec.clusterName, engine: spec.engine },
    ...(provider === undefined ? {} : { provider }),
    ...(labels ? { labels } : {}),
  };
}
