import {
  apiVersionOf,
  CLOUD_ACCOUNT,
  DELETION_RECORD,
  INFRASTRUCTURE,
  type CloudAccount,
  type DeletionRecord,
  type Infrastructure,
  type InfrastructureOutputs,
  type InfrastructureSpec,
} from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';
import { InMemoryEventRecorder, type ReconcileContext } from '@crate/reconcile';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemorySecretStore } from '@crate/secrets';
import type { TerraformState } from '@crate/terraform';
import { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import { cloudAccountHooks } from '../cloud-account/cloud-account.hooks.js';
import { CloudProvider, type CloudAccess, type TerraformRuntime } from '../provider/cloud-provider.js';
import { CloudProviders } from '../provider/cloud-providers.js';
import { InMemoryTerraformRunRepository } from '../terraform-run/in-memory-terraform-run.repository.js';
import type { TerraformTask } from '../terraform-run/terraform-executor.js';
import { aSpec } from './a-spec.js';

const CALLER = { caller: { user: 'system:cloud-mgmt', groups: [], service: 'cloud-mgmt' }, traceId: 'trace' };
/** A person, as lifecycle passes on what they ask for. */
export const PERSON = { caller: { user: 'ada', groups: [], service: 'lifecycle' }, traceId: 'trace' };
export const NAMESPACE = 'team-a';

/** A provider that answers what it was told to. */
export class ScriptedProvider extends CloudProvider {
  readonly accesses: CloudAccess[] = [];
  owned: OwnedResource[] = [];
  inNetwork: OwnedResource[] = [];
  failure: Error | undefined;
  lagMs = 0;

  async checkCredentials(access: CloudAccess): Promise<void> {
    this.accesses.push(access);
    if (this.failure) throw this.failure;
    return Promise.resolve();
  }

  async openRuntime(): Promise<TerraformRuntime> {
    return Promise.resolve({ id: undefined, env: {}, secrets: [] });
  }

  async closeRuntime(): Promise<void> {
    return Promise.resolve();
  }

  async listByTag(): Promise<readonly OwnedResource[]> {
    if (this.failure) throw this.failure;
    return Promise.resolve(this.owned);
  }

  async listInNetwork(): Promise<readonly OwnedResource[]> {
    return Promise.resolve(this.inNetwork);
  }

  async listingLagMs(): Promise<number> {
    return Promise.resolve(this.lagMs);
  }
}

/** An executor that leaves the outputs of the stack behind, or fails as it was told to. */
export class ScriptedExecutor {
  readonly tasks: TerraformTask[] = [];
  readonly forgotten: string[] = [];
  failure: Error | undefined;
  /** As a state has them. */
  resources: readonly unknown[] = [];
  onExecute: (task: TerraformTask) => Promise<void> = () => Promise.resolve();
  /** What earlier runs come to while they are ended. */
  onSettle: (uid: string) => Promise<void> = () => Promise.resolve();

  async execute(task: TerraformTask): Promise<TerraformState | undefined> {
    this.tasks.push(task);
    await this.onExecute(task);
    if (this.failure) throw this.failure;
    const outputs = {
      vpc_id: { value: 'vpc-1' },
      api_host: { value: 'api' },
      api_port: { value: 6443 },
      bastion_host: { value: 'bastion' },
      machines: { value: [] },
    };
    const bytes = Buffer.from(JSON.stringify({ resources: this.resources }));
    return { serial: 1, lineage: 'a', outputs, resources: [], providers: [], bytes };
  }

  async settle(uid: string): Promise<void> {
    await this.onSettle(uid);
  }

  async forget(uid: string): Promise<void> {
    this.forgotten.push(uid);
    return Promise.resolve();
  }
}

/** The service's own API over memory, with the real admission, and its stores. */
export class InMemoryCloud {
  readonly store = new InMemoryResourceStore();
  readonly secrets = new InMemorySecretStore();
  readonly runs = new InMemoryTerraformRunRepository();
  readonly provider = new ScriptedProvider();
  readonly providers = new CloudProviders({ 'sandbox-aws': this.provider });
  readonly events = new InMemoryEventRecorder();
  readonly credentials = new AccountCredentialsStore(this.secrets);
  private readonly kinds = new KindRegistry();
  readonly api = new LocalResourceApi({ store: this.store, kinds: this.kinds });
  readonly accounts = new TypedClient<CloudAccount>(this.api, CLOUD_ACCOUNT, CALLER);
  /** As people write them. */
  readonly ofPeople = new TypedClient<CloudAccount>(this.api, CLOUD_ACCOUNT, PERSON);
  readonly infrastructures = new TypedClient<Infrastructure>(this.api, INFRASTRUCTURE, CALLER);
  readonly records = new TypedClient<DeletionRecord>(this.api, DELETION_RECORD, CALLER);

  constructor() {
    this.kinds.add({
      definition: CLOUD_ACCOUNT,
      admit: cloudAccountHooks({ ...this, service: 'cloud-mgmt' }),
    });
    this.kinds.add({ definition: INFRASTRUCTURE });
    this.kinds.add({ definition: DELETION_RECORD });
  }

  async ensureAccount(
    spec: Record<string, unknown> = {},
    metadata: Record<string, unknown> = {},
  ): Promise<CloudAccount> {
    const draft = {
      metadata: { name: 'sandbox', namespace: NAMESPACE, ...metadata },
      spec: { provider: 'sandbox-aws', ...spec },
    };
    return this.accounts.ensure(draft, 'test');
  }

  /** As `kubectl create` and `replace` send it. */
  async createAccount(object: Record<string, unknown>, dryRun = false): Promise<CloudAccount> {
    const { group, version, plural } = CLOUD_ACCOUNT;
    const body = { apiVersion: apiVersionOf(CLOUD_ACCOUNT), kind: CLOUD_ACCOUNT.kind, metadata: {}, ...object };
    const result = await this.api.create({ group, version, plural }, body, { dryRun }, CALLER);
    return result.object as CloudAccount;
  }

  async ensureInfrastructure(name = 'demo', changes: Partial<InfrastructureSpec> = {}): Promise<Infrastructure> {
    return this.infrastructures.ensure(
      { metadata: { name, namespace: NAMESPACE }, spec: aSpec(name, changes) },
      'test',
    );
  }
}

export function aContext(fields: Partial<ReconcileContext> = {}): ReconcileContext {
  const { signal } = new AbortController();
  return { remoteSignal: signal, signal, epoch: 1n, traceId: 'trace-1', ...fields };
}

/** A context that tells whether its deadlines stand still. */
export class WaitingContext {
  isInLine = false;
  readonly context = aContext({
    inLine: async (wait) => {
      this.isInLine = true;
      try {
        return await wait();
      } finally {
        this.isInLine = false;
      }
    },
  });
}

export const OUTPUTS: InfrastructureOutputs = {
  vpcId: 'vpc-1',
  apiHost: 'api',
  apiPort: 6443,
  bastionHost: 'bastion',
  machines: [],
};
