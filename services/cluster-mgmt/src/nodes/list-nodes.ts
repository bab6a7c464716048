import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';

/** All nodes as the cluster has them. */
export async function listNodes(target: TargetCluster, signal: AbortSignal): Promise<readonly KubeObject[]> {
  return (await target.list('v1', 'Node', {}, signal)).items;
}
