import type { KubernetesCluster, PolicySubject } from '@crate/api';

/** What rules know of the cluster that a document is for. Its labels are those of the Cluster, which hands them down. */
export function clusterSubject({ metadata, spec }: KubernetesCluster): Omit<PolicySubject, 'name'> {
  const { namespace = '', labels } = metadata;
  return { namespace, cluster: spec.clusterName, engine: spec.engine, ...(labels ? { labels } : {}) };
}
