import { CLUSTER, EXISTING, isExisting, type Cluster } from '@crate/api';
import { forbidden, invalidSpec, type ErrorCause } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';
import type { InClusterConfig } from './in-cluster.config.js';
import { MANAGED_OUTSIDE } from './managed-outside.js';

/** Fields by which people say how a cluster is to be made. */
const OF_MADE = ['accountRef', 'region', 'network', 'controlPlane', 'classRef', 'parameters'] as const;

const ENGINE = 'spec.kubernetes.engine';

/**
 * A platform that looks after its own cluster has this one, and makes none (403, `InClusterOnly`); any other platform makes clusters,
 * and has none that was there before (422, `NotInCluster`). How an existing cluster is made, and of which version it is, is for those
 * who keep it (422, `ManagedOutside`, each field by name).
 */
export function inClusterAdmission(config: InClusterConfig): AdmissionHook {
  return ({ operation, object }) => {
    if (operation === 'DELETE') return Promise.resolve();
    const cluster = object as Cluster;
    const refusal = (operation === 'CREATE' ? placeRefusal(cluster, config) : undefined) ?? fieldRefusal(cluster);
    return refusal ? Promise.reject(refusal) : Promise.resolve();
  };
}

function placeRefusal(cluster: Cluster, { enabled, project, name }: InClusterConfig): Error | undefined {
  if (!enabled) return isExisting(cluster) ? notInCluster(cluster) : undefined;
  const { metadata } = cluster;
  if (isExisting(cluster) && metadata.namespace === project && metadata.name === name) return undefined;
  const remedy = `Look after this cluster as ${CLUSTER.kind} "${name}" of Project "${project}", with ${ENGINE}: ${EXISTING}; clusters are made by a platform that is not installed with inCluster.enabled`;
  const text = `Cluster "${metadata.name}" is forbidden: this platform looks after the cluster that it runs in, and no other. ${remedy}`;
  return forbidden(text, { ...about(cluster), reason: 'InClusterOnly', remedy });
}

function notInCluster(cluster: Cluster): Error {
  const remedy = 'Install the platform in that cluster, with inCluster.enabled';
  const message = `Invalid value: "${EXISTING}": this platform does not look after the cluster that it runs in`;
  return refused(cluster, [{ reason: 'FieldValueInvalid', field: ENGINE, message }], {
    reason: 'NotInCluster',
    remedy,
  });
}

/** Why an existing cluster may not be told that; undefined when it may. */
function fieldRefusal(cluster: Cluster): Error | undefined {
  const { spec } = cluster;
  if (!isExisting(cluster)) return undefined;
  const stated = [
    ...OF_MADE.filter((field) => spec[field] !== undefined),
    ...(spec.nodePools.length > 0 ? ['nodePools'] : []),
    ...(spec.kubernetes.version === undefined ? [] : ['kubernetes.version']),
  ];
  if (stated.length === 0) return undefined;
  const message = 'Forbidden: the cluster was there before Crate, and is managed from outside';
  const causes = stated.map((field) => ({ reason: 'FieldValueForbidden', field: `spec.${field}`, message }));
  const remedy = 'Leave the field out; those who made the cluster change its machines, network and version';
  return refused(cluster, causes, { reason: MANAGED_OUTSIDE, remedy });
}

function refused(
  cluster: Cluster,
  causes: readonly ErrorCause[],
  { reason, remedy }: { readonly reason: string; readonly remedy: string },
): Error {
  const lines = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const { name } = cluster.metadata;
  return invalidSpec(`Cluster.${CLUSTER.group} "${name}" is invalid: ${lines}. ${remedy}`, causes, {
    ...about(cluster),
    reason,
    remedy,
  });
}

function about({ metadata: { name } }: Cluster): {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
} {
  return { group: CLUSTER.group, kind: CLUSTER.kind, name };
}
