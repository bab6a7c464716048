import type { AddOnInstallation, Infrastructure, KubernetesCluster } from '@crate/api';
import { KINDS } from '../../../api/paths.js';
import { useLiveList, useLiveObject } from '../../../api/use-live.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { clusterTree } from './cluster-tree.js';
import type { TreeNode } from './tree-node.js';
import { useResources } from './use-resources.js';

/** What a cluster owns, live. */
export interface LiveTree {
  readonly tree: TreeNode;
  /** How live the Infrastructure is: of the others what is there is shown. */
  readonly live: ReturnType<typeof useLiveObject<Infrastructure>>;
}

/** The tree of the cluster of the page. */
export function useClusterTree(): LiveTree {
  const { project, name } = useClusterKey();
  const cluster = useCluster();
  const live = useLiveObject<Infrastructure>(KINDS.infrastructure, name, project);
  const kubernetes = useLiveObject<KubernetesCluster>(KINDS.kubernetesCluster, name, project);
  const installations = useLiveList<AddOnInstallation>(KINDS.addOnInstallation, {
    namespace: project,
    labelSelector: `lifecycle.crate.dev/cluster=${name}`,
  });
  const resources = useResources(live.object);
  const tree = clusterTree({
    cluster,
    infrastructure: live.object,
    resources,
    kubernetes: kubernetes.object,
    installations: installations.items,
  });
  return { tree, live };
}
