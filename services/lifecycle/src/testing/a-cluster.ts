import {
  CLUSTER,
  type AddOn,
  type AddOnInstallation,
  type Cluster,
  type Condition,
  type Infrastructure,
  type KubernetesCluster,
} from '@crate/api';

const CREATED = '2026-01-01T00:00:00Z';

/** Builds a valid cluster; each call returns a changed copy. */
export function aCluster(spec: Record<string, unknown> = {}): Cluster {
  const parsed = CLUSTER.body.parse({
    spec: {
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      kubernetes: { version: 'v1.31.4' },
      nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
      ...spec,
    },
  }) as { spec: Cluster['spec'] };
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', metadata: aMeta('demo'), ...parsed };
}

export function deleting(cluster: Cluster): Cluster {
  return { ...cluster, metadata: { ...cluster.metadata, deletionTimestamp: CREATED } };
}

export function aMeta(name: string): Cluster['metadata'] {
  return {
    name,
    namespace: 'team-a',
    uid: `uid-${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: CREATED,
  };
}

export function ready(status: 'True' | 'False' = 'True', message = ''): Condition {
  return { type: 'Ready', status, reason: 'Ready', message, lastTransitionTime: CREATED, observedGeneration: 1 };
}

export function anInfrastructure(status: Partial<NonNullable<Infrastructure['status']>> = {}): Infrastructure {
  return {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'Infrastructure',
    metadata: aMeta('demo'),
    spec: {} as Infrastructure['spec'],
    status: { conditions: [ready()], ...status },
  };
}

export function aKubernetesCluster(status: Partial<NonNullable<KubernetesCluster['status']>> = {}): KubernetesCluster {
  return {
    apiVersion: 'cluster.crate.dev/v1alpha1',
    kind: 'KubernetesCluster',
    metadata: aMeta('demo'),
    spec: { nodes: [] } as unknown as KubernetesCluster['spec'],
    status: {
      conditions: [ready(), { ...ready(), type: 'ControlPlaneReady' }, { ...ready(), type: 'NodesReady' }],
      ...status,
    },
  };
}

export function anAddOn(name: string, ...dependsOn: string[]): AddOn {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'AddOn',
    metadata: aMeta(name),
    spec: { displayName: name, description: name, version: '1.0.0', dependsOn, manifests: [manifest] },
  };
}

/** On its way out, with a volume in the way. */
export function heldUp(addOn: string): AddOnInstallation {
  const found = anInstallation(addOn, ready('False'));
  const requestedAt = '2026-01-31T12:00:00Z';
  const volume = { kind: 'PersistentVolume', name: 'pv-1', reason: 'VolumesInUse', message: 'Is in use' };
  const deletion = { requestedAt, blockers: [{ ...volume, since: requestedAt, remedy: 'Delete it' }] };
  const metadata = { ...found.metadata, deletionTimestamp: requestedAt };
  return { ...found, metadata, status: { ...found.status, deletion } };
}

export function anInstallation(addOn: string, condition: Condition = ready()): AddOnInstallation {
  return {
    apiVersion: 'cluster.crate.dev/v1alpha1',
    kind: 'AddOnInstallation',
    metadata: aMeta(`demo-${addOn}`),
    spec: { clusterRef: { name: 'demo' }, addOn, version: '1.0.0', manifests: [] },
    status: { conditions: [condition] },
  };
}
