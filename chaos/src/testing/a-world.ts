import type { CloudObject } from '../world/cloud-journal.js';
import type { KubeObject } from '../world/kube-object.js';
import type { Target, World } from '../world/world.js';

const READY = { type: 'Ready', status: 'True', reason: 'Ready', message: 'All is well', observedGeneration: 1 };

/** Status of what waits, and does not say for what. */
export const WAITING = {
  observedGeneration: 1,
  conditions: [{ type: 'Ready', status: 'False', reason: '', message: '' }],
};

/** An object that is Ready, with changes. */
export function anObject(kind: string, changes: Partial<KubeObject> = {}): KubeObject {
  return {
    kind,
    metadata: { name: 'demo', namespace: 'team-a', uid: `${kind}-1`, resourceVersion: '7', generation: 1 },
    spec: {},
    status: { observedGeneration: 1, conditions: [READY] },
    ...changes,
  };
}

/** A cloud object of the Infrastructure of `aWorld`. */
export function aCloudObject(changes: Partial<CloudObject> = {}): CloudObject {
  return {
    account: '444455556666',
    region: 'us-east-1',
    type: 'aws_instance',
    id: 'i-1',
    tags: {
      'crate.dev/infrastructure-uid': 'Infrastructure-1',
      'crate.dev/cluster-uid': 'Cluster-1',
      Name: 'demo-bastion',
    },
    createdAt: '2026-01-01T00:00:00.000Z',
    attributes: {},
    ...changes,
  };
}

const CLUSTER = anObject('Cluster', {
  spec: {
    kubernetes: { version: 'v1.31.4' },
    controlPlane: { replicas: 1 },
    nodePools: [],
    addOns: [{ name: 'docs' }],
  },
  status: { observedGeneration: 1, conditions: [READY], nodes: { ready: 1 } },
});

const INFRASTRUCTURE = anObject('Infrastructure', {
  status: { observedGeneration: 1, conditions: [READY], cloudId: 'demo-1723af96' },
});

/** What controllers in the cluster of `aWorld` made, unless told otherwise. */
export function madeByCluster(type: string, cloudId = 'demo-1723af96'): CloudObject {
  return aCloudObject({ type, id: `${type}-1`, tags: { [`kubernetes.io/cluster/${cloudId}`]: 'owned' } });
}

/** What is in the cluster of `aWorld`. */
export const TARGET: Target = {
  nodes: [{ name: 'demo-control-plane-0', address: '10.0.0.7', version: 'v1.31.4' }],
  addOns: ['docs'],
};

/** A world in which everything is right: one cluster of one machine and a bastion. */
export function aWorld(changes: Partial<World> = {}): World {
  const machine = aCloudObject({
    id: 'i-2',
    tags: { ...aCloudObject().tags, Name: 'demo-control-plane-0' },
    attributes: { instance_type: 'm5.large', private_ip: '10.0.0.7' },
  });
  const resources = ['i-1', 'i-2'].map((id) => ({ address: `aws_instance.${id}`, type: 'aws_instance', id }));
  const state = { owner: 'Infrastructure-1', lineage: 'one', substance: 'a', resources };
  return {
    cloud: [aCloudObject(), machine],
    clusters: [CLUSTER],
    infrastructures: [INFRASTRUCTURE],
    kubernetesClusters: [anObject('KubernetesCluster')],
    addOnInstallations: [anObject('AddOnInstallation')],
    targets: { 'KubernetesCluster-1': TARGET },
    deletionRecords: [],
    classes: [],
    classRevisions: [],
    userPlans: [],
    accounts: [anObject('CloudAccount', { metadata: { ...CLUSTER.metadata, name: 'main', uid: 'CloudAccount-1' } })],
    states: [
      { ...state, version: 1, serial: 1, resources: [] },
      { ...state, version: 2, serial: 4 },
    ],
    engineStates: [1, 2].map((version) => ({ owner: 'KubernetesCluster-1', version, authority: 'A1' })),
    kubeconfigs: [{ owner: 'KubernetesCluster-1', version: 1, authority: 'A1' }],
    credentials: [{ owner: 'cloudaccount/team-a/main', fingerprint: 'f1', accessKeyId: 'AKIAONE' }],
    unopened: [],
    secretOwners: ['Infrastructure-1', 'KubernetesCluster-1', 'cloudaccount/team-a/main'],
    runs: [
      aRun({ id: 'run-1', ended_at: new Date(2_000) }),
      aRun({ id: 'run-2', started_at: new Date(3_000), ended_at: new Date(4_000) }),
    ],
    lockSightings: [],
    cloudChanges: [],
    keptRuns: [],
    meddled: [],
    changes: {
      Cluster: [
        { revision: 3, type: 'ADDED', kind: 'Cluster', uid: 'Cluster-1', object: CLUSTER },
        { revision: 7, type: 'MODIFIED', kind: 'Cluster', uid: 'Cluster-1', object: CLUSTER },
      ],
    },
    since: { Cluster: 0 },
    gaps: {},
    floors: { Cluster: 0 },
    acknowledged: [
      { what: 'stored', kind: 'Cluster', uid: 'Cluster-1', name: 'demo', revision: 3, spec: CLUSTER.spec ?? {} },
    ],
    watched: [
      {
        watcher: 'client 1',
        kind: 'Cluster',
        spans: [{ from: 0, to: 7, events: EVENTS, isForgotten: false }],
        wanted: 7,
      },
    ],
    earlyEnds: [],
    plans: { demo: undefined },
    leaks: [],
    convergedAfterMs: 1_000,
    unsettled: [],
    boundMs: 60_000,
    ...changes,
  };
}

export const EVENTS = [
  { type: 'ADDED', uid: 'Cluster-1', revision: 3 },
  { type: 'MODIFIED', uid: 'Cluster-1', revision: 7 },
];

/** A run that succeeded. */
export function aRun(changes: Partial<World['runs'][number]> = {}): World['runs'][number] {
  return {
    id: 'run-1',
    owner: 'Infrastructure-1',
    kind: 'apply',
    generation: 1,
    state: 'succeeded',
    started_at: new Date(1_000),
    ended_at: new Date(2_000),
    ...changes,
  };
}
