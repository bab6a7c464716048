import type { AddOnInstallation, KubernetesCluster } from '@crate/api';
import { isExistingCluster } from '../kubernetes-cluster/kubernetes-cluster.scope.js';

/**
 * True while the cluster goes and takes its load balancers and volumes away by this add-on: it is then left as it is, also where its own deletion was
 * asked for before. Of a cluster that is only let go of nothing goes down with it.
 */
export function goesWithCluster({ spec }: AddOnInstallation, cluster: KubernetesCluster): boolean {
  const isGoing = cluster.metadata.deletionTimestamp !== undefined && !isExistingCluster(cluster);
  return isGoing && spec.removal === 'WithCluster';
}
