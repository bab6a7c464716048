import type { AddOn, Cluster, KubeObject } from '@crate/api';
import type { ReconcileKey } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';

/**
 * The clusters that a change of an add-on of the catalogue concerns: those it is installed in. Of an add-on that is seen for the first
 * time, such as after a restart, only those that have another version of it.
 */
export function installedClusterKeysOf(
  clusters: Pick<TypedClient<Cluster>, 'list'>,
): (object: KubeObject) => Promise<readonly ReconcileKey[]> {
  const generations = new Map<string, number>();
  return async (object) => {
    const { metadata, spec } = object as AddOn;
    const before = generations.get(metadata.uid);
    if (before === metadata.generation) return [];
    const isConcerned = (cluster: Cluster): boolean => {
      const installed = cluster.status?.addOns?.find(({ name }) => name === metadata.name);
      return installed !== undefined && (before !== undefined || installed.version !== spec.version);
    };
    const concerned = (await clusters.list()).filter(isConcerned);
    // Only now: what throws is told again.
    generations.set(metadata.uid, metadata.generation);
    return concerned.map((cluster) => ({
      namespace: cluster.metadata.namespace ?? '',
      name: cluster.metadata.name,
    }));
  };
}
