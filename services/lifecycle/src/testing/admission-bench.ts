import {
  ADD_ON,
  apiVersionOf,
  CLOUD_ACCOUNT,
  CLUSTER,
  INFRASTRUCTURE,
  type AddOn,
  type Cluster,
  type KindDefinition,
  type KubeObject,
  type KubeObjectInput,
  type PolicyViolation,
} from '@crate/api';
import { isPlatformError, type PlatformError } from '@crate/errors';
import { GuardedPolicyReviewer, ScriptedPolicyReviewer, type WhenUnavailable } from '@crate/messaging';
import { TypedClient, type CallContext, type ResourceRef, type WriteResult } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { AccountProviders } from '../cluster/account-providers.js';
import { clusterAdmission, type ClusterAdmissionPorts } from '../cluster/cluster.admission.js';
import { anAddOn } from './a-cluster.js';

export const ADA: CallContext = { caller: { user: 'ada', groups: ['team-a'] }, traceId: 'trace-1' };
const NAMESPACE = 'team-a';
const TYPE = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };
const REF: ResourceRef = { ...TYPE, namespace: NAMESPACE, name: 'demo' };

const SPEC = {
  accountRef: { name: 'sandbox' },
  region: 'us-east-1',
  kubernetes: { engine: 'rke', version: 'v1.31.4' },
  nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
  addOns: [{ name: 'docs' }],
};

/** The cluster `demo` of ada, as admission takes it: an account of its Project, one of another, and a catalogue are there. */
export class AdmissionBench {
  readonly policies = new ScriptedPolicyReviewer();
  readonly whenUnavailable: { ClusterSpec?: WhenUnavailable } = {};
  /** How often an account was looked at. */
  lookups = 0;
  private readonly kinds = new KindRegistry(
    [ADD_ON, CLOUD_ACCOUNT, INFRASTRUCTURE].map((definition) => ({ definition })),
  );
  private readonly store = new InMemoryResourceStore();
  private readonly api = new LocalResourceApi({ store: this.store, kinds: this.kinds });
  readonly catalogue = this.for(ADD_ON);
  readonly clusters = this.for(CLUSTER);
  private readonly accounts = this.for(CLOUD_ACCOUNT);
  readonly ports: ClusterAdmissionPorts;

  private constructor() {
    const { accounts, catalogue, policies, whenUnavailable } = this;
    const find = accounts.find.bind(accounts);
    accounts.find = async (...key) => {
      this.lookups += 1;
      return find(...key);
    };
    this.ports = {
      ...{ accounts, catalogue, infrastructures: this.for(INFRASTRUCTURE) },
      providers: new AccountProviders(accounts),
      policies: new GuardedPolicyReviewer(policies, { whenUnavailable, logger: new InMemoryLogger() }),
    };
    this.kinds.add({ definition: CLUSTER, nameFormat: 'dnsLabel', admit: [clusterAdmission(this.ports)] });
  }

  static async start(): Promise<AdmissionBench> {
    const bench = new AdmissionBench();
    for (const { metadata, spec } of addOns()) {
      await bench.catalogue.ensure({ metadata: { name: metadata.name }, spec }, 'test');
    }
    const accounts = [
      { name: 'sandbox', namespace: NAMESPACE },
      { name: 'theirs', namespace: 'team-b' },
    ];
    const spec = { provider: 'sandbox-aws' };
    for (const metadata of accounts) await bench.accounts.ensure({ metadata, spec }, 'test');
    return bench;
  }

  async create(spec: Record<string, unknown> = {}, { name = 'demo', dryRun = false } = {}): Promise<WriteResult> {
    const metadata = { name, namespace: NAMESPACE, labels: { stage: 'prod' } };
    const type = { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind };
    const object: KubeObjectInput = { ...type, metadata, spec: { ...SPEC, ...spec } };
    return this.api.create(TYPE, object, { fieldValidation: 'Strict', dryRun }, ADA);
  }

  /** A cluster that was taken when the rules were others. */
  async createdBefore(spec: Record<string, unknown>): Promise<void> {
    const body = CLUSTER.body.parse({ spec: { ...SPEC, ...spec } }) as object;
    const type = { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind };
    await this.store.create({ ...type, metadata: { name: 'demo', namespace: NAMESPACE }, ...body } as KubeObject);
  }

  async merge(patch: object): Promise<WriteResult> {
    return this.api.patch(REF, patch, { type: 'merge' }, ADA);
  }

  async remove(dryRun = false): Promise<unknown> {
    return this.api.remove(REF, { dryRun }, ADA);
  }

  /** Deletes an account that something holds. */
  async retire(name: string): Promise<void> {
    await this.accounts.merge(name, NAMESPACE, { metadata: { finalizers: ['example.com/held'] } });
    await this.accounts.remove(name, NAMESPACE);
  }

  async find(): Promise<Cluster | undefined> {
    return this.clusters.find('demo', NAMESPACE);
  }

  async exists(): Promise<boolean> {
    return (await this.find()) !== undefined;
  }

  private for<T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> {
    return new TypedClient(this.api, kind, ADA);
  }
}

/** `docs` needs `baseline`, `broken` what is not there, `sized` takes a size of 1 or 2, and `volumes` is for another cloud. */
function addOns(): readonly AddOn[] {
  const sized = anAddOn('sized');
  sized.spec.valuesSchema = { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } };
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sized' } };
  sized.spec.manifests = [{ ...manifest, size: '${[1, 2, 3][values.size]}' }];
  const elsewhere = anAddOn('volumes');
  elsewhere.spec.providers = ['aws'];
  return [anAddOn('baseline'), anAddOn('docs', 'baseline'), anAddOn('broken', 'nowhere'), sized, elsewhere];
}

/** What a write is refused with; an error of the test when it is not. */
export async function refusalOf(write: Promise<unknown>): Promise<PlatformError> {
  const error = await write.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isPlatformError(error)) throw new Error(`Not refused as it should be: ${String(error)}`);
  return error;
}

export function aViolation(level: PolicyViolation['level'], policy: string): PolicyViolation {
  return {
    ...{ policy, level, severity: 'medium' as const, effect: level === 'must' ? ('deny' as const) : ('warn' as const) },
    ...{ title: policy, field: 'spec.region', message: 'Region is not allowed' },
    remedy: 'Choose eu-central-1',
    references: [],
  };
}
