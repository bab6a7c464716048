import {
  apiVersionOf,
  CLUSTER,
  CLUSTER_CLASS,
  CLUSTER_CLASS_REVISION,
  PROJECT,
  type Cluster,
  type ClusterClass,
  type Failure,
  type KindDefinition,
  type KubeObject,
  type KubeObjectInput,
} from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { InMemoryEventRecorder, type ReconcileContext } from '@crate/reconcile';
import {
  TypedClient,
  type CallContext,
  type ResourceApi,
  type ResourceRef,
  type WriteResult,
} from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, type AdmissionHook } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { clusterClassParts, type ClusterClassParts } from '../cluster-class/cluster-class.parts.js';
import { returnPrepare } from '../plan/approved-plan.js';
import { defaultsPrepare } from '../project/project-defaults.prepare.js';
import { ProjectOfWrite } from '../project/project-of-write.js';

const PERSON: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const SERVICE: CallContext = {
  caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' },
  traceId: 'trace',
};

/** What a person leaves to no class. */
export const OWN_SPEC = { accountRef: { name: 'sandbox' }, region: 'us-east-1' };

/** Classes and clusters in memory, with the hooks they have in production. */
export class ClassBench {
  readonly store = new InMemoryResourceStore();
  readonly kinds = new KindRegistry();
  readonly api = new LocalResourceApi({ store: this.store, kinds: this.kinds });
  readonly events = new InMemoryEventRecorder();
  readonly classes: ClusterClassParts;

  /** `admit` judges clusters after their class; `wrap` may stand between the service and its resources. */
  constructor(admit: readonly AdmissionHook[] = [], wrap: (api: ResourceApi) => ResourceApi = (api) => api) {
    const own = wrap(this.api);
    const clients = { for: <T extends KubeObject>(kind: KindDefinition<T>) => new TypedClient(own, kind, SERVICE) };
    this.classes = clusterClassParts(clients, 'lifecycle', this.events);
    for (const kind of this.classes.kinds) this.kinds.add(kind);
    const { prepare, constraints } = this.classes;
    this.kinds.add({ definition: PROJECT });
    const ofProject = defaultsPrepare(new ProjectOfWrite(this.for(PROJECT)), prepare);
    this.kinds.add({ definition: CLUSTER, prepare: [returnPrepare, ...ofProject], admit: [constraints, ...admit] });
  }

  /** Typed access as the service. */
  for<T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> {
    return new TypedClient(this.api, kind, SERVICE);
  }

  readonly clusters = this.for(CLUSTER);
  readonly revisions = this.for(CLUSTER_CLASS_REVISION);

  /** One pass over a class; gives the outcome, or the error it ended with. */
  async pass(name: string, signal: ReconcileContext['signal'] = new AbortController().signal): Promise<unknown> {
    const context: ReconcileContext = { remoteSignal: signal, signal, epoch: 1n, traceId: 'trace' };
    return this.classes.reconciler.reconciler
      .reconcile({ namespace: '', name }, context)
      .catch((error: unknown) => error);
  }

  /** What the other reconcilers would make of a cluster. */
  async settle(cluster: Cluster, failure?: Failure): Promise<void> {
    const { generation } = cluster.metadata;
    const status = failure ? 'False' : 'True';
    const ready = {
      type: 'Ready',
      status,
      reason: 'Ready',
      message: '',
      lastTransitionTime: '',
      observedGeneration: generation,
    };
    await this.clusters.saveStatus(cluster, { conditions: [ready], ...(failure ? { failure } : {}) });
  }

  async theClass(name: string): Promise<ClusterClass> {
    return (await this.api.get(refOf(CLUSTER_CLASS, name), PERSON)) as ClusterClass;
  }

  /** What the subresource `clusters` of a class says, to a platform administrator. */
  async clustersOf(name: string): Promise<unknown> {
    const admin = { ...PERSON, caller: { user: 'root', groups: [PLATFORM_ADMIN_GROUP] } };
    return this.api.readSubresource(refOf(CLUSTER_CLASS, name), 'clusters', admin);
  }

  /** Creates or replaces a class, as a person. */
  async writeClass(name: string, spec: Record<string, unknown>, dryRun = false): Promise<WriteResult> {
    const object = { apiVersion: apiVersionOf(CLUSTER_CLASS), kind: CLUSTER_CLASS.kind, metadata: { name }, spec };
    const ref = refOf(CLUSTER_CLASS, name);
    const exists = (await this.for<ClusterClass>(CLUSTER_CLASS).find(name)) !== undefined;
    return exists ? this.api.update(ref, object, { dryRun }, PERSON) : this.api.create(ref, object, { dryRun }, PERSON);
  }

  /** A class that was taken when the rules were others. */
  async classBefore(name: string, spec: Record<string, unknown>): Promise<void> {
    const type = { apiVersion: apiVersionOf(CLUSTER_CLASS), kind: CLUSTER_CLASS.kind };
    const body = CLUSTER_CLASS.body.parse({ spec }) as object;
    await this.store.create({ ...type, metadata: { name }, ...body } as KubeObject);
  }

  /** Server-side apply of a cluster, as a person. */
  async applyCluster(
    name: string,
    spec: Record<string, unknown>,
    options: { dryRun?: boolean } = {},
  ): Promise<Cluster> {
    const ref = refOf(CLUSTER, name, 'team-a');
    const { object } = await this.api.patch(
      ref,
      this.document(name, spec),
      { type: 'apply', fieldManager: 'ada', ...options },
      PERSON,
    );
    return object as Cluster;
  }

  /** `POST` of a cluster. */
  async createCluster(name: string, spec: Record<string, unknown>): Promise<Cluster> {
    const ref = refOf(CLUSTER, name, 'team-a');
    return (await this.api.create(ref, this.document(name, spec), { fieldManager: 'kubectl' }, PERSON))
      .object as Cluster;
  }

  /** `PUT` of a cluster. */
  async putCluster(name: string, spec: Record<string, unknown>): Promise<Cluster> {
    const ref = refOf(CLUSTER, name, 'team-a');
    return (await this.api.update(ref, this.document(name, spec), {}, PERSON)).object as Cluster;
  }

  /** A merge patch of a cluster. */
  async mergeCluster(name: string, patch: unknown): Promise<Cluster> {
    const ref = refOf(CLUSTER, name, 'team-a');
    return (await this.api.patch(ref, patch, { type: 'merge', fieldManager: 'kubectl-patch' }, PERSON))
      .object as Cluster;
  }

  async cluster(name: string): Promise<Cluster> {
    return (await this.api.get(refOf(CLUSTER, name, 'team-a'), PERSON)) as Cluster;
  }

  private document(name: string, spec: Record<string, unknown>): KubeObjectInput {
    const metadata = { name, namespace: 'team-a' };
    return { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind, metadata, spec };
  }
}

/** Names an object of a kind. */
export function refOf(kind: KindDefinition, name: string, namespace?: string): ResourceRef {
  const { group, version, plural } = kind;
  return { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
}
