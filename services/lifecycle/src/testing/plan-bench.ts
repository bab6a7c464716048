import {
  ADD_ON,
  ADD_ON_INSTALLATION,
  CLUSTER,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  PLAN,
  POLICY,
  PROJECT,
  toTimestamp,
  type CloudAccount,
  type Cluster,
  type Failure,
  type Infrastructure,
  type KindDefinition,
  type KubeObject,
  type Plan,
  type PlanPreview,
  type PolicyViolation,
} from '@crate/api';
import { ScriptedPolicyReviewer } from '@crate/messaging';
import { InMemoryEventRecorder, type ReconcileContext } from '@crate/reconcile';
import { TypedClient, type CallContext, type ResourceApi } from '@crate/resource-client';
import { forbiddenFor, KindRegistry, LocalResourceApi, type Authorize } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { clusterAdmission } from '../cluster/cluster.admission.js';
import { ceilingAdmission } from '../cluster/cluster.ceiling.admission.js';
import { protectionAdmission } from '../cluster/cluster.protection.admission.js';
import { approvedPlanOf, holdToDestruction, markAdmission, returnPrepare } from '../plan/approved-plan.js';
import { consequenceWarnings } from '../plan/consequence-warnings.js';
import { planningOf, servedPlans } from '../plan/plan.parts.js';
import { aCluster } from './a-cluster.js';
import { ScriptedPlanner } from './scripted-planner.js';

const SERVICE: CallContext = {
  caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' },
  traceId: 'trace',
};
const NAMESPACE = 'team-a';
const ACCOUNT = { metadata: { name: 'sandbox' } } as CloudAccount;
const CLOUD: readonly KindDefinition[] = [
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  ADD_ON,
  ADD_ON_INSTALLATION,
  POLICY,
  PROJECT,
];

/** What a cluster of the bench is to become. */
export const pools = (replicas: number): Record<string, unknown> => ({
  nodePools: [{ name: 'workers', replicas, machineType: 'm5.xlarge' }],
});
export const GROW = { changes: pools(4) };
export const SHRINK = { changes: pools(1) };

/** A plan of the spec that a cluster has. */
export const SAME = { changes: { paused: false } };

/** What Terraform answers when all is as it should be. */
export const NOTHING: Partial<PlanPreview> = {
  counts: { create: 0, update: 0, replace: 0, destroy: 0, import: 0, forget: 0 },
};

/** What a rule finds. */
export function aViolation(effect: PolicyViolation['effect'] = 'deny'): PolicyViolation {
  const found = { policy: 'p', level: 'must', severity: 'high', title: 't', field: 'spec', message: 'm' } as const;
  return { ...found, effect, remedy: 'r', references: [] };
}

/** What cloud-mgmt stops with when it finds another plan than the one that was approved. */
export const OUTDATED: Failure = { code: 'PlanOutdated', message: 'moved', retryable: true };

/** What cloud-mgmt stops with when rules refuse what Terraform would do. */
export const DENIED: Failure = { code: 'PolicyDenied', message: 'denied', retryable: true };

/** Plans and clusters in memory, with the hooks they have in production; the cloud is played. */
export class PlanBench {
  readonly store = new InMemoryResourceStore({ clock: () => this.now });
  readonly kinds = new KindRegistry(CLOUD.map((definition) => ({ definition })));
  readonly api: ResourceApi = new LocalResourceApi({ store: this.store, kinds: this.kinds, clock: () => this.now });
  readonly planner = new ScriptedPlanner();
  readonly policies = new ScriptedPolicyReviewer();
  readonly events = new InMemoryEventRecorder();
  /** Time as plans and the API see it: it passes by hand only. */
  now = new Date();
  /** Of the Project. */
  accounts: readonly CloudAccount[] = [ACCOUNT];
  /** What admission refuses besides. */
  refusal: Error | undefined;
  /** What of clusters the door refuses to everybody. */
  mayNot: string | undefined;
  private readonly planning;

  /** `wrap` may stand between the service and its resources, such as to let it die. */
  constructor(wrap: (api: ResourceApi) => ResourceApi = (api) => api) {
    const api = wrap(this.api);
    const clients = { for: <T extends KubeObject>(kind: KindDefinition<T>) => new TypedClient(api, kind, SERVICE) };
    const { planner, policies } = this;
    const { events } = this;
    const providers = { of: () => Promise.resolve('sandbox-aws') };
    const now = (): Date => this.now;
    const authorize: Authorize = (caller, attributes) =>
      attributes.verb === this.mayNot ? Promise.reject(forbiddenFor(caller, attributes)) : Promise.resolve();
    const ports = { clients, api, planner, policies, providers, authorize };
    this.planning = planningOf({ ...ports, events, context: SERVICE, now });
    this.kinds.add(servedPlans(this.planning.approval));
    const warnings = consequenceWarnings(this.planning.consequences, 50);
    const refusing = (): Promise<void> => (this.refusal ? Promise.reject(this.refusal) : Promise.resolve());
    const protection = protectionAdmission({ members: { roleOf: () => 'admin' }, now });
    const admission = clusterAdmission({
      accounts: { find: () => Promise.resolve(this.accounts[0]), list: () => Promise.resolve(this.accounts) },
      // Apart from those that plans ask.
      policies: new ScriptedPolicyReviewer(),
      ...{ providers, catalogue: clients.for(ADD_ON), infrastructures: clients.for(INFRASTRUCTURE) },
    });
    const admit = [markAdmission, protection, ceilingAdmission, admission, refusing, warnings];
    this.kinds.add({ definition: CLUSTER, prepare: [returnPrepare], admit });
  }

  for<T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> {
    return new TypedClient(this.api, kind, as('ada'));
  }

  /** The cluster `demo`, and the infrastructure it has. */
  async start(spec: Record<string, unknown> = {}): Promise<Cluster> {
    const { spec: full } = aCluster(spec);
    const cluster = await this.for(CLUSTER).create({ metadata: { name: 'demo', namespace: NAMESPACE }, spec: full });
    await this.provide();
    return cluster;
  }

  /** What lifecycle and cloud-mgmt make of the cluster as it is; with a failure, they stop there, having begun or not. */
  async provide(failure?: Failure, isBegun = false): Promise<void> {
    const cluster = await this.cluster();
    if (!cluster) return;
    const { name, generation } = cluster.metadata;
    const spec = { ...anInfrastructureSpec(cluster), ...approvedPlanOf(cluster) };
    const client = new TypedClient(this.api, INFRASTRUCTURE, SERVICE);
    const infrastructure = await client.ensure({ metadata: { name, namespace: NAMESPACE }, spec }, 'lifecycle');
    const at = toTimestamp(this.now);
    const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: at };
    const judged = { ...ready, observedGeneration: infrastructure.metadata.generation };
    const known = { ...spec.approvedPlan, begunAt: at, resources: [], ...(failure ? {} : { executedAt: at }) };
    const begun = isBegun || (spec.approvedPlan && !failure) ? { approvedPlan: known } : {};
    await client.saveStatus(infrastructure, {
      conditions: [judged],
      stateSerial: 1,
      ...(failure ? { failure } : {}),
      ...begun,
    });
    if (failure) return;
    const conditions = [{ ...ready, observedGeneration: generation }];
    await new TypedClient(this.api, CLUSTER, SERVICE).saveStatus(cluster, { conditions });
  }

  /** What lifecycle and cloud-mgmt make of the deletion of the cluster; with a failure, they stop there. */
  async takeAway(failure?: Failure): Promise<Infrastructure> {
    const cluster = await this.cluster();
    const client = new TypedClient(this.api, INFRASTRUCTURE, SERVICE);
    const found = await client.find('demo', NAMESPACE);
    if (!cluster || !found) throw new Error('There is nothing to take away');
    const held = await holdToDestruction(client, cluster, found);
    const at = toTimestamp(this.now);
    const ready = { type: 'Ready', status: 'False', reason: 'Deleting', message: '', lastTransitionTime: at };
    const judged = { ...ready, observedGeneration: held.metadata.generation };
    return client.saveStatus(held, { conditions: [judged], ...(failure ? { failure } : {}) });
  }

  /** Somebody asks for a plan. */
  async plan(wish: Record<string, unknown>, name = 'grow', user = 'ada'): Promise<Plan> {
    const spec = { clusterRef: { name: 'demo' }, ...wish };
    return new TypedClient(this.api, PLAN, as(user)).create({ metadata: { name, namespace: NAMESPACE }, spec });
  }

  async approve(name = 'grow', user = 'ada', body: object = {}): Promise<Plan> {
    const { group, version, plural } = PLAN;
    const ref = { group, version, plural, namespace: NAMESPACE, name };
    return (await this.api.writeSubresource(ref, 'approve', { verb: 'create', body }, as(user))) as Plan;
  }

  /** The cluster `demo`, and a plan for it that is approved. */
  async startApproved(wish: Record<string, unknown>, spec: Record<string, unknown> = {}): Promise<void> {
    await this.start(spec);
    await this.plan(wish);
    await this.pass();
    await this.approve();
  }

  /** One pass; gives the outcome, or the error it ended with. */
  async pass(name = 'grow', traceId = 'trace'): Promise<unknown> {
    const { signal } = new AbortController();
    const context: ReconcileContext = { remoteSignal: signal, signal, epoch: 1n, traceId };
    return this.planning.reconciler.reconcile({ namespace: NAMESPACE, name }, context).catch((error: unknown) => error);
  }

  async passes(count: number): Promise<void> {
    for (let pass = 0; pass < count; pass += 1) await this.pass();
  }

  async find(name = 'grow'): Promise<Plan | undefined> {
    return this.for(PLAN).find(name, NAMESPACE);
  }

  async phase(name = 'grow'): Promise<string | undefined> {
    const { status } = (await this.find(name)) ?? {};
    return status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  }

  async cluster(): Promise<Cluster | undefined> {
    return this.for(CLUSTER).find('demo', NAMESPACE);
  }

  async replicas(): Promise<number | undefined> {
    return (await this.cluster())?.spec.nodePools[0]?.replicas;
  }
}

/** A call of a person. */
export function as(user: string): CallContext {
  return { caller: { user, groups: [] }, traceId: 'trace' };
}

function anInfrastructureSpec({ metadata, spec }: Cluster): Record<string, unknown> {
  const diskGiB = spec.nodePools[0]?.diskGiB ?? 50;
  const group = { name: 'workers', role: 'worker', machineType: 'm5.large', diskGiB };
  return {
    accountRef: spec.accountRef,
    clusterName: metadata.name,
    clusterUid: metadata.uid,
    region: spec.region,
    network: { vpcCidr: '10.20.0.0/16', availabilityZones: 1 },
    machineGroups: [{ ...group, replicas: 1 }],
    sshPublicKey: 'ssh-ed25519 AAAA',
  };
}
