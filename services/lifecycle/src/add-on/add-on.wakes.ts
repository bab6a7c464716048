import type { AddOn, Cluster, KubeObject } from '@crate/api';
import type { ReconcileKey } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';

/** A catalogue that is seen for the first time, such as after a restart, comes within this time. */
const ONE_LOOK_MS = 60_000;

interface Installed {
  readonly key: ReconcileKey;
  readonly version: string;
}

type Clusters = Pick<TypedClient<Cluster>, 'list'>;

/**
 * The clusters that a change of an add-on of the catalogue concerns: those it is installed in. Of an add-on that is seen for the first
 * time only those that have another version of it; one look at the clusters has to do for all of these.
 */
export function installedClusterKeysOf(
  clusters: Clusters,
  now: () => number = () => performance.now(),
): (object: KubeObject) => Promise<readonly ReconcileKey[]> {
  const generations = new Map<string, number>();
  let look = { at: -Infinity, installed: new Map<string, Installed[]>() };
  return async (object) => {
    const { metadata, spec } = object as AddOn;
    const before = generations.get(metadata.uid);
    if (before === metadata.generation) return [];
    const isFirst = before === undefined;
    if (!isFirst || now() - look.at > ONE_LOOK_MS) look = { at: now(), installed: await installedIn(clusters) };
    // Only now: what throws is told again.
    generations.set(metadata.uid, metadata.generation);
    const found = look.installed.get(metadata.name) ?? [];
    return found.filter(({ version }) => !isFirst || version !== spec.version).map(({ key }) => key);
  };
}

async function installedIn(clusters: Clusters): Promise<Map<string, Installed[]>> {
  const installed = new Map<string, Installed[]>();
  for (const { metadata, status } of await clusters.list()) {
    const key = { namespace: metadata.namespace ?? '', name: metadata.name };
    for (const { name, version } of status?.addOns ?? []) {
      const known = installed.get(name);
      if (known) known.push({ key, version });
      else installed.set(name, [{ key, version }]);
    }
  }
  return installed;
}
