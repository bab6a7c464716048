import { SUPPORTED_KUBERNETES_VERSIONS, upgradeVersions, type Cluster } from '@crate/api';

/** What a cluster can be upgraded to. */
export interface ClusterUpgrades {
  /** As asked for; undefined where others keep Kubernetes. */
  readonly from?: string;
  /** Newest first. */
  readonly versions: readonly string[];
}

/** Versions of Kubernetes that the cluster can go to, by its engine and by what Kubernetes allows. Pure. */
export function upgradesOf({ spec }: Cluster): ClusterUpgrades {
  const { kubernetes } = spec;
  if (kubernetes.engine === 'existing' || kubernetes.version === undefined) return { versions: [] };
  const { engine, version: from } = kubernetes;
  return { from, versions: upgradeVersions(from, SUPPORTED_KUBERNETES_VERSIONS[engine]) };
}
