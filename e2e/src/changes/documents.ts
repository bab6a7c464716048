import type { Manifest } from '@crate/api';

/** Of the cloud account that all clusters are in. */
export const ACCOUNT = '111122223333';

/** A small cluster with this changed. */
export function documentOf(name: string, changes: Record<string, unknown>): Manifest {
  const spec = {
    accountRef: { name: 'sandbox' },
    region: 'us-east-1',
    kubernetes: { version: 'v1.31.4' },
    network: { availabilityZones: 1 },
    controlPlane: { replicas: 1 },
    nodePools: [{ name: 'workers', replicas: 1, machineType: 'm5.xlarge' }],
    ...changes,
  };
  const metadata = { name, namespace: 'team-a' };
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', metadata, spec };
}

/** The change to this many workers. */
export const workers = (replicas: number): Record<string, unknown> => ({
  nodePools: [{ name: 'workers', replicas, machineType: 'm5.xlarge' }],
});
