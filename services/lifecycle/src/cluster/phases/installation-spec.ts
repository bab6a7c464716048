import type { AddOn, AddOnInstallation, Cluster } from '@crate/api';
import type { ClusterFacts } from '../../add-on/add-on.facts.js';
import { renderedManifests } from '../../add-on/add-on.values.js';

/** One add-on as the cluster is to have it. Throws InvalidSpec naming every value that does not fit. */
export function installationSpec(cluster: Cluster, addOn: AddOn, facts: ClusterFacts): AddOnInstallation['spec'] {
  return {
    clusterRef: { name: cluster.metadata.name },
    addOn: addOn.metadata.name,
    version: addOn.spec.version,
    manifests: [...renderedManifests(addOn, cluster.spec.addOns, facts)],
    ...(addOn.spec.removal === undefined ? {} : { removal: addOn.spec.removal }),
    ...(isUnasked(cluster, addOn) ? { unasked: true } : {}),
    ...(isObserved(cluster, addOn) ? { drift: { policy: 'observe' } } : {}),
  };
}

/** It comes by default; nobody has named it. */
function isUnasked({ spec }: Cluster, addOn: AddOn): boolean {
  return addOn.spec.defaultFor !== undefined && !spec.addOns.some(({ name }) => name === addOn.metadata.name);
}

/** Said where it is asked for only: an older release of cluster-mgmt does not know it. */
function isObserved({ spec }: Cluster, { metadata }: AddOn): boolean {
  return spec.addOns.some(({ name, drift }) => name === metadata.name && drift?.policy === 'observe');
}
