import { CLUSTER, type Cluster, type Condition } from '@crate/api';

const REGIONS = ['us-east-1', 'us-west-2', 'eu-central-1', 'eu-west-1', 'ap-south-1'];
const VERSIONS = ['v1.30.8', 'v1.31.4', 'v1.31.8'];
const CONDITIONS = [
  ...['Ready', 'Synced', 'Paused', 'Deleting', 'PolicyCompliant', 'InfrastructureReady', 'ControlPlaneReady'],
  ...['NodesReady', 'AddOnsReady', 'InSync'],
];
const NOT = ['Paused', 'Deleting'];
const CREATED = Date.parse('2026-01-01T00:00:00Z');
const CLUSTERS_OF_PROJECT = 25;
const HOUR_MS = 3_600_000;

/** So many clusters of many teams as the store holds them: most are well, one in twenty is not. The same again every time. */
export function manyClusters(count: number): readonly Cluster[] {
  return Array.from({ length: count }, (_, index) => clusterAt(index));
}

/** The cluster of a number, with this many of its nodes ready. Each call makes all of it anew, as reading from a database does. */
export function clusterAt(index: number, ready = 5): Cluster {
  return JSON.parse(JSON.stringify(documentOf(index, ready))) as Cluster;
}

function documentOf(index: number, ready: number): unknown {
  const name = `cluster-${index}`;
  const namespace = `team-${Math.floor(index / CLUSTERS_OF_PROJECT)}`;
  const uid = `${String(index).padStart(8, '0')}-9a1c-4b7e-8f00-1234567890ab`;
  const creationTimestamp = timeAt(index % 5_000);
  const metadata = { name, namespace, uid, resourceVersion: String(index + 1), generation: 2, creationTimestamp };
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { ...metadata, labels: { tier: 'web' }, finalizers: ['lifecycle.crate.dev/clusters'] },
    spec: specOf(index),
    status: statusOf(index, ready),
  };
}

function specOf(index: number): unknown {
  const version = VERSIONS[index % VERSIONS.length];
  const given = {
    accountRef: { name: 'main' },
    region: REGIONS[index % REGIONS.length],
    kubernetes: { engine: 'rke', version },
    nodePools: [{ name: 'workers', replicas: 2 + (index % 7), machineType: 'm5.xlarge', labels: { tier: 'web' } }],
    addOns: [{ name: 'ingress' }, { name: 'monitoring' }],
    paused: index % 97 === 0,
  };
  return (CLUSTER.body.parse({ spec: given }) as { readonly spec: unknown }).spec;
}

function statusOf(index: number, ready: number): unknown {
  const isWell = index % 20 > 0;
  const failure = {
    code: 'QuotaExceeded',
    message: `No more machines in cluster-${index}`,
    retryable: index % 40 === 0,
  };
  return {
    observedGeneration: 2,
    version: VERSIONS[index % VERSIONS.length],
    apiEndpoint: `https://10.0.${index % 255}.1:6443`,
    conditions: CONDITIONS.map((type) => conditionOf(type, isWell, index)),
    progress: { step: isWell ? 4 : 1, steps: 4, message: isWell ? 'Ready' : 'Infrastructure: planning' },
    phases: ['Policy', 'Infrastructure', 'Kubernetes', 'Add-ons'].map((phase) => ({
      ...{ name: phase, state: 'Done', step: 1, steps: 1, message: 'Done' },
    })),
    nodes: { ready, desired: 5 + (index % 7) },
    nodePools: [{ name: 'workers', nodes: 2, ready: 2 }],
    addOns: ['baseline', 'ingress', 'monitoring'].map((addOn) => ({ name: addOn, version: '1.2.3', ready: true })),
    policy: { fail: 0, warn: index % 3 },
    ...(isWell ? {} : { failure }),
  };
}

function conditionOf(type: string, isWell: boolean, index: number): Condition {
  const isBad = !isWell && (type === 'Ready' || type === 'InfrastructureReady');
  const holds = !isBad && !NOT.includes(type);
  return {
    type,
    status: holds ? 'True' : 'False',
    reason: isBad ? 'QuotaExceeded' : 'Ready',
    message: isBad ? `No more machines in cluster-${index}` : '',
    lastTransitionTime: timeAt(index % 3_000),
    observedGeneration: 2,
  };
}

function timeAt(hours: number): string {
  return new Date(CREATED + hours * HOUR_MS).toISOString().replace('.000Z', 'Z');
}
