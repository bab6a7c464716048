import { apiVersionOf, CLOUD_ACCOUNT, CLUSTER, mostZonesOf, PROJECT, type KubeObjectInput } from '@crate/api';
import { PLATFORM_ACCOUNT, PLATFORM_PROJECT, type BootstrapRequest } from './request.js';
import type { BootstrapTarget } from './target.js';

/** The Project of the platform itself. */
export function projectDocument(): KubeObjectInput {
  return {
    apiVersion: apiVersionOf(PROJECT),
    kind: PROJECT.kind,
    metadata: { name: PLATFORM_PROJECT },
    spec: { displayName: 'Crate itself' },
  };
}

/** The account that the platform cluster is in. */
export function accountDocument(
  { account, permissionsBoundary }: BootstrapRequest,
  { provider, credentials }: BootstrapTarget,
): KubeObjectInput {
  return {
    apiVersion: apiVersionOf(CLOUD_ACCOUNT),
    kind: CLOUD_ACCOUNT.kind,
    metadata: { name: PLATFORM_ACCOUNT, namespace: PLATFORM_PROJECT },
    spec: {
      provider,
      accountId: account,
      ...(credentials === undefined ? {} : { credentials }),
      ...(permissionsBoundary === undefined ? {} : { permissionsBoundary }),
    },
  };
}

/** The platform cluster: one as every other, which only its own removal is meant to delete. */
export function clusterDocument(
  request: BootstrapRequest,
  { loadBalancerPorts }: Pick<BootstrapTarget, 'loadBalancerPorts'>,
): KubeObjectInput {
  const { name, region, kubernetesVersion: version, controlPlane, nodes, machineType } = request;
  const availabilityZones = mostZonesOf(region);
  const network = {
    ...(availabilityZones === undefined ? {} : { availabilityZones }),
    ...(loadBalancerPorts.length === 0 ? {} : { loadBalancerPorts }),
  };
  return {
    apiVersion: apiVersionOf(CLUSTER),
    kind: CLUSTER.kind,
    metadata: { name, namespace: PLATFORM_PROJECT },
    spec: {
      accountRef: { name: PLATFORM_ACCOUNT },
      region,
      kubernetes: { version },
      ...(Object.keys(network).length === 0 ? {} : { network }),
      controlPlane: { replicas: controlPlane },
      nodePools: [{ name: 'workers', replicas: nodes, machineType }],
      deletionProtection: true,
    },
  };
}
