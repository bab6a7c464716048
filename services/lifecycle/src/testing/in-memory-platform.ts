import {
  ADD_ON,
  ADD_ON_INSTALLATION,
  apiVersionOf,
  CLUSTER,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  toTimestamp,
  type KindDefinition,
  type KubeObject,
} from '@crate/api';
import { GuardedPolicyReviewer, ScriptedPolicyReviewer, type WhenUnavailable } from '@crate/messaging';
import { TypedClient, type ResourceApi } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryEventRecorder, type ReconcileContext } from '@crate/reconcile';
import { RecoveryHold, type OpenRecovery } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { clusterClassParts } from '../cluster-class/cluster-class.parts.js';
import { clusterPhases } from '../cluster/cluster.phases.js';
import { clusterFinalizers } from '../cluster/cluster.finalizers.js';
import { ClusterReconciler } from '../cluster/cluster.reconciler.js';
import { aCluster, anAddOn } from './a-cluster.js';

const CHILDREN: readonly KindDefinition[] = [INFRASTRUCTURE, KUBERNETES_CLUSTER, ADD_ON, ADD_ON_INSTALLATION];
const SERVICE = { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 'trace' };
const PERSON = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };

/** All services' resources in one memory store, with a cluster reconciler over it; children are moved by hand. */
export class InMemoryPlatform {
  readonly store = new InMemoryResourceStore({ clock: () => this.now() });
  readonly policies = new ScriptedPolicyReviewer();
  /** What is done while they do not answer. */
  readonly whenUnavailable: { ClusterSpec?: WhenUnavailable } = {};
  readonly events = new InMemoryEventRecorder();
  /** Set while the database is older than the world. */
  setBack: OpenRecovery | undefined;
  now: () => Date = () => new Date();
  readonly api: ResourceApi = new LocalResourceApi({
    store: this.store,
    kinds: new KindRegistry([
      { definition: CLUSTER, admit: [clusterFinalizers] },
      ...CHILDREN.map((definition) => ({ definition })),
    ]),
  });
  readonly clusters = this.for(CLUSTER);
  /** As people write them. */
  readonly ofPeople = new TypedClient(this.api, CLUSTER, PERSON);
  readonly infrastructures = this.for(INFRASTRUCTURE);
  readonly kubernetesClusters = this.for(KUBERNETES_CLUSTER);
  readonly installations = this.for(ADD_ON_INSTALLATION);
  private readonly reconciler: ClusterReconciler;

  /** `wrap` may stand between the reconciler and the resources, such as to let it die. */
  constructor(wrap: (api: ResourceApi) => ResourceApi = (api) => api) {
    const api = wrap(this.api);
    const clients = {
      for: <T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> => new TypedClient(api, kind, SERVICE),
    };
    const { preview } = clusterClassParts(clients, 'lifecycle');
    const recovery = new RecoveryHold({ find: () => Promise.resolve(this.setBack) });
    const { whenUnavailable } = this;
    const policies = new GuardedPolicyReviewer(this.policies, { whenUnavailable, logger: new InMemoryLogger() });
    const providers = { of: () => Promise.resolve('sandbox-aws') };
    const phases = clusterPhases(clients, { policies, providers, classes: preview, recovery });
    this.reconciler = new ClusterReconciler(clients.for(CLUSTER), phases, {
      events: this.events,
      now: () => this.now(),
      warnAfterMs: 900_000,
    });
  }

  for<T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> {
    return new TypedClient(this.api, kind, SERVICE);
  }

  /** Stores a cluster that asks for the add-on `docs`, and the catalogue. */
  async start(spec: Record<string, unknown> = { addOns: [{ name: 'docs' }] }): Promise<void> {
    for (const addOn of [anAddOn('baseline'), anAddOn('docs', 'baseline')]) {
      await this.for(ADD_ON).ensure({ metadata: { name: addOn.metadata.name }, spec: addOn.spec }, 'test');
    }
    const { metadata, spec: full } = aCluster(spec);
    await this.clusters.ensure({ metadata: { name: metadata.name, namespace: 'team-a' }, spec: full }, 'test');
  }

  /** One pass, whose lease may be lost; gives the outcome, or the error it ended with. */
  async pass(attempts = 0, { signal } = new AbortController()): Promise<unknown> {
    const context: ReconcileContext = {
      remoteSignal: signal,
      signal,
      lost: signal,
      epoch: 1n,
      traceId: 'trace',
      attempts,
    };
    try {
      return await this.reconciler.reconcile({ namespace: 'team-a', name: 'demo' }, context);
    } catch (error) {
      return error;
    }
  }

  /** What cluster-mgmt and cloud-mgmt would publish: every child that exists becomes Ready at its generation. */
  async settleChildren(): Promise<void> {
    for (const kind of [KUBERNETES_CLUSTER, INFRASTRUCTURE, ADD_ON_INSTALLATION]) {
      for (const child of await this.for<KubeObject>(kind).list()) await this.settle(kind, child);
    }
  }

  private async settle(kind: KindDefinition, child: KubeObject): Promise<void> {
    const { generation } = child.metadata;
    const types = ['Ready', ...(kind === KUBERNETES_CLUSTER ? ['ControlPlaneReady', 'NodesReady'] : [])];
    const conditions = types.map((type) => ({
      type,
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: toTimestamp(new Date(0)),
      observedGeneration: generation,
    }));
    await this.for<KubeObject>(kind).saveStatus(child, {
      ...extra(kind, child),
      conditions,
      observedGeneration: generation,
    });
  }
}

function extra(kind: KindDefinition, child: KubeObject): Record<string, unknown> {
  const spec = child['spec'] as Record<string, unknown>;
  if (apiVersionOf(kind).startsWith('cloud')) return { outputs: outputsOf(spec), cloudId: 'demo-1723af96' };
  if (kind !== KUBERNETES_CLUSTER) return {};
  const nodes = (spec['nodes'] as { name: string; role: string }[]).map(({ name, role }) => ({
    name,
    role,
    ready: true,
    version: 'v1.31.4',
  }));
  return { sshPublicKey: 'ssh-ed25519 AAAA', version: 'v1.31.4', nodes };
}

function outputsOf(spec: Record<string, unknown>): unknown {
  const groups = spec['machineGroups'] as { name: string; role: string; replicas: number }[];
  const machines = groups.flatMap(({ name, role, replicas }) =>
    Array.from({ length: replicas }, (_, index) => ({
      name: `demo-${name}-${index}`,
      group: name,
      role,
      instanceId: `i-${name}-${index}`,
      privateIp: `10.20.0.${index}`,
      zone: 'us-east-1a',
    })),
  );
  return { vpcId: 'vpc-1', apiHost: '127.0.0.1', apiPort: 6443, bastionHost: '1.2.3.4', machines };
}
