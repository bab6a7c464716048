import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CLOUD_ACCOUNT,
  INFRASTRUCTURE,
  type CloudAccount,
  type Infrastructure,
  type PlanPreview,
  type PlanPreviewRequest,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
} from '@crate/api';
import { FileKeyStore, inboxPrefix, ServiceRegistry, ServiceTokenIssuer } from '@crate/auth';
import { Database } from '@crate/database';
import { connectNats, NatsResourceApi, NatsServiceCaller, PayloadSealer } from '@crate/messaging';
import { TypedClient } from '@crate/resource-client';
import { runSandbox, type RunningSandbox } from '@crate/sandbox';
import type { ServiceHost } from '@crate/service-host';
import { ServicePlatform } from '@crate/service-testing';
import { CloudMgmtModule } from '../cloud-mgmt.module.js';
import { cloudMgmtConfig } from '../config.js';
import { AwsInfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import { CLOUD_MGMT_MIGRATIONS } from '../migrations.js';

export const NAMESPACE = 'team-a';
export const ACCOUNT = '111122223333';
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const LIFECYCLE = { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 'trace' };

const PREVIEW_MS = 60_000;
const NETWORKS = cloudMgmtConfig.shape.managementCidrs.parse(undefined);

/** What a test may say about the service it starts. */
export interface ServiceOptions {
  readonly slots?: number;
  /** How long something must have been found before a sweep acts upon it. */
  readonly sweepGraceMs?: number;
  /** Working files of its own, as on another host. */
  readonly workspaces?: string;
}

/** The service's kinds over NATS. */
export interface Remote {
  readonly accounts: TypedClient<CloudAccount>;
  readonly infrastructures: TypedClient<Infrastructure>;
  readonly preview: (request: PlanPreviewRequest) => Promise<PlanPreview>;
  readonly close: () => Promise<void>;
}

/** cloud-mgmt as it runs, with real Postgres, NATS and Terraform; policy-mgmt is played, the cloud is the sandbox. */
export class TestCloud {
  private constructor(
    private readonly platform: ServicePlatform,
    readonly sandbox: RunningSandbox,
  ) {}

  get directory(): string {
    return this.platform.directory;
  }

  /** Asked by cloud-mgmt, answered by `verdict`. */
  get reviews(): PolicyReviewRequest[] {
    return this.platform.reviews;
  }

  set verdict(verdict: PolicyReviewResponse) {
    this.platform.verdict = verdict;
  }

  static async start(): Promise<TestCloud> {
    const platform = await ServicePlatform.start();
    const { directory, logger } = platform;
    const sandbox = await runSandbox({ dataDir: join(directory, 'sandbox'), port: 0, latencyScale: 0, logger });
    return new TestCloud(platform, sandbox);
  }

  /** Starts a replica of cloud-mgmt. */
  async startService(options: ServiceOptions = {}): Promise<ServiceHost> {
    const config = cloudMgmtConfig.parse({
      ...this.platform.settingsOf('cloud-mgmt'),
      terraform: { concurrency: options.slots ?? 2, graceMs: 20_000 },
      workspacesDir: join(this.directory, options.workspaces ?? 'workspaces'),
      sandboxUrl: this.sandbox.url,
      ...(options.sweepGraceMs === undefined ? {} : { sweep: { graceMs: options.sweepGraceMs } }),
    });
    const migrations = CLOUD_MGMT_MIGRATIONS;
    return this.platform.startService({ name: 'cloud-mgmt', module: CloudMgmtModule, config, migrations });
  }

  /** Starts cloud-mgmt as a process of its own, from its build, so that it can be killed; after `lease` its keys are another's. */
  spawnService(lease: string): ChildProcess {
    const { databaseUrl, natsUrl, password, keys, encryptionKeysDir, directory } = this.platform;
    const env = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      CRATE_DATABASE_URL: databaseUrl,
      CRATE_NATS_URL: natsUrl,
      CRATE_NATS_USER: 'cloud-mgmt',
      CRATE_NATS_PASSWORD: password,
      CRATE_KEYS_PRIVATE_DIR: keys.privateDir,
      CRATE_KEYS_TRUST_DIR: keys.trustDir,
      CRATE_ENCRYPTION_KEYS_DIR: encryptionKeysDir,
      CRATE_WORKSPACES_DIR: join(directory, 'workspaces'),
      CRATE_SANDBOX_URL: this.sandbox.url,
      CRATE_RECONCILE_LEASE_MS: lease,
      CRATE_RECONCILE_POLL_MS: '500ms',
    };
    return spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** The service's kinds as lifecycle sees them: over NATS, whichever process answers. */
  async remote(): Promise<Remote> {
    const { keys: directories, natsUrl: url, password, logger } = this.platform;
    const keys = new FileKeyStore(directories, 'lifecycle');
    const issuer = new ServiceTokenIssuer({ service: 'lifecycle', keys, registry: new ServiceRegistry() });
    const user = { url, user: 'lifecycle', password, name: 'lifecycle' };
    const nats = await connectNats({ ...user, inboxPrefix: inboxPrefix('lifecycle'), logger });
    const caller = new NatsServiceCaller(nats, issuer, new PayloadSealer('lifecycle', keys));
    const api = new NatsResourceApi(caller, 'cloud-mgmt');
    return {
      accounts: new TypedClient<CloudAccount>(api, CLOUD_ACCOUNT, LIFECYCLE),
      infrastructures: new TypedClient<Infrastructure>(api, INFRASTRUCTURE, LIFECYCLE),
      preview: (request) => caller.call('cloud-mgmt', 'plan.preview', request, LIFECYCLE, PREVIEW_MS),
      close: () => nats.close(),
    };
  }

  /** The tables of the service. */
  database(): Database {
    return new Database({ url: this.platform.databaseUrl, schema: 'cloud_mgmt', maxConnections: 2 });
  }

  async stopService(host: ServiceHost): Promise<void> {
    await this.platform.stopService(host);
  }

  async stop(): Promise<void> {
    await this.platform.stopServices();
    await this.sandbox.close();
    await this.platform.stop();
  }

  accounts(host: ServiceHost): TypedClient<CloudAccount> {
    return host.foundation.clients.for(CLOUD_ACCOUNT);
  }

  infrastructures(host: ServiceHost): TypedClient<Infrastructure> {
    return host.foundation.clients.for(INFRASTRUCTURE);
  }

  /** Types of what an Infrastructure is made of, each as often as it is meant to be there. */
  wanted(infrastructure: Infrastructure): string[] {
    const account = { spec: { provider: 'sandbox-aws', accountId: ACCOUNT } } as CloudAccount;
    const { document } = new AwsInfrastructureStack(NETWORKS, 'installation-1').synthesize(infrastructure, account);
    const resources = Object.entries(document['resource'] as Record<string, object>);
    return resources.flatMap(([type, byName]) => Object.keys(byName).map(() => type)).sort();
  }

  /** Types of what the simulated cloud holds, each as often as it is there. */
  inventory(type?: string): string[] {
    const objects = this.sandbox.cloud.inventory.list({ account: ACCOUNT, ...(type === undefined ? {} : { type }) });
    return objects.map((object) => object.type).sort();
  }
}
