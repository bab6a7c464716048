import type { AddOnInstallation, Infrastructure, KubernetesCluster } from '@crate/api';
import { KINDS } from '../../../api/paths.js';
import { useLiveList, useLiveObject, type Live } from '../../../api/use-live.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { clusterTree, type UnknownPart } from './cluster-tree.js';
import type { TreeNode } from './tree-node.js';
import { useResources } from './use-resources.js';

/** What a cluster owns, live. */
export interface LiveTree {
  readonly tree: TreeNode;
  /** How live the Infrastructure is, once the others have answered or failed: what failed of them is a part that says why. */
  readonly live: Liveness;
}

type Liveness = Pick<Live<unknown>, 'liveness' | 'error' | 'retry'>;

/** The tree of the cluster of the page. */
export function useClusterTree(): LiveTree {
  const { project, name } = useClusterKey();
  const cluster = useCluster();
  const infrastructure = useLiveObject<Infrastructure>(KINDS.infrastructure, name, project);
  const kubernetes = useLiveObject<KubernetesCluster>(KINDS.kubernetesCluster, name, project);
  const installations = useLiveList<AddOnInstallation>(KINDS.addOnInstallation, {
    namespace: project,
    labelSelector: `lifecycle.crate.dev/cluster=${name}`,
  });
  const resources = useResources(infrastructure.object);
  const tree = clusterTree({
    cluster,
    infrastructure: infrastructure.object,
    resources,
    kubernetes: kubernetes.object,
    installations: installations.items,
    unknown: [...unknownOf('KubernetesCluster', kubernetes), ...unknownOf('AddOnInstallations', installations)],
  });
  return { tree, live: together(infrastructure, [kubernetes, installations]) };
}

/** The part that stands for what was never read, and why it was not. */
function unknownOf(kind: UnknownPart['kind'], { liveness, error }: Liveness): readonly UnknownPart[] {
  if (!error || (liveness !== 'loading' && liveness !== 'failed')) return [];
  return [{ kind, message: error.message }];
}

/** As live as the first; and as long as any of the others was only asked, or is behind, so are all. */
function together(first: Liveness, others: readonly Liveness[]): Liveness {
  const isAsking = others.some(({ liveness, error }) => liveness === 'loading' && !error);
  const isBehind = others.some(({ liveness }) => liveness === 'reconnecting');
  const liveness =
    first.liveness !== 'live' ? first.liveness : isAsking ? 'loading' : isBehind ? 'reconnecting' : 'live';
  return { liveness, retry: first.retry, ...(first.error ? { error: first.error } : {}) };
}
