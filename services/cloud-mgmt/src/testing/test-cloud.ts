import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CLOUD_ACCOUNT,
  INFRASTRUCTURE,
  type CloudAccount,
  type Infrastructure,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
} from '@crate/api';
import {
  ensureKeyPair,
  FileKeyStore,
  inboxPrefix,
  natsServerConfig,
  SERVICES,
  ServiceRegistry,
  ServiceTokenIssuer,
} from '@crate/auth';
import { Database } from '@crate/database';
import { connectNats, NatsResourceApi, NatsServiceCaller } from '@crate/messaging';
import { TypedClient } from '@crate/resource-client';
import { runSandbox, type RunningSandbox } from '@crate/sandbox';
import { hostConfig, SERVICE_PARTS, ServiceHost, type ServiceParts } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { startNats, startPostgres, type NatsServer, type PostgresServer } from '@crate/testing';
import { Module } from '@nestjs/common';
import { CloudMgmtModule } from '../cloud-mgmt.module.js';
import { cloudMgmtConfig, type CloudMgmtConfig } from '../config.js';

export const NAMESPACE = 'team-a';
export const ACCOUNT = '111122223333';
const PASSWORD = 'a-password';
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const LIFECYCLE = { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 'trace' };
const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
const ALLOWED: PolicyReviewResponse = { allowed: true, violations: [] };

/** What a test may say about the service it starts. */
export interface ServiceOptions {
  readonly slots?: number;
  /** Working files of its own, as on another host. */
  readonly workspaces?: string;
}

/** The service's kinds over NATS. */
export interface Remote {
  readonly accounts: TypedClient<CloudAccount>;
  readonly infrastructures: TypedClient<Infrastructure>;
  readonly close: () => Promise<void>;
}

interface Servers {
  readonly directory: string;
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly nats: NatsServer;
  readonly sandbox: RunningSandbox;
}

/** cloud-mgmt as it runs, with real Postgres, NATS and Terraform; policy-mgmt is played, the cloud is the sandbox. */
export class TestCloud {
  readonly logger = new InMemoryLogger();
  /** Asked by cloud-mgmt, answered by `verdict`. */
  readonly reviews: PolicyReviewRequest[] = [];
  verdict: PolicyReviewResponse = ALLOWED;
  private readonly hosts: ServiceHost[] = [];

  private constructor(private readonly servers: Servers) {}

  get directory(): string {
    return this.servers.directory;
  }

  get sandbox(): RunningSandbox {
    return this.servers.sandbox;
  }

  static async start(): Promise<TestCloud> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-cloud-mgmt-'));
    const users = SERVICES.map((service) => ({ service, password: PASSWORD }));
    const [postgres, nats] = await Promise.all([
      startPostgres(),
      startNats({ config: natsServerConfig({ port: 4222, users }) }),
    ]);
    for (const service of SERVICES) {
      await ensureKeyPair({ privateDir: join(directory, 'private'), trustDir: join(directory, 'trust') }, service);
    }
    const { url } = await postgres.createDatabase();
    const logger = new InMemoryLogger();
    const sandbox = await runSandbox({ dataDir: join(directory, 'sandbox'), port: 0, latencyScale: 0, logger });
    const cloud = new TestCloud({ directory, postgres, databaseUrl: url, nats, sandbox });
    await cloud.startPolicyMgmt();
    return cloud;
  }

  /** Starts a replica of cloud-mgmt. */
  async startService(options: ServiceOptions = {}): Promise<ServiceHost> {
    const config: CloudMgmtConfig = cloudMgmtConfig.parse({
      ...this.hostSettings('cloud-mgmt'),
      terraform: { concurrency: options.slots ?? 2, graceMs: 20_000 },
      workspacesDir: join(this.directory, options.workspaces ?? 'workspaces'),
      sandboxUrl: this.sandbox.url,
    });
    return this.startHost('cloud-mgmt', CloudMgmtModule, config, [MIGRATIONS]);
  }

  /** Starts cloud-mgmt as a process of its own, from its build, so that it can be killed. */
  spawnService(): ChildProcess {
    const { directory, databaseUrl, nats, sandbox } = this.servers;
    const env = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      CRATE_DATABASE_URL: databaseUrl,
      CRATE_NATS_URL: nats.url,
      CRATE_NATS_USER: 'cloud-mgmt',
      CRATE_NATS_PASSWORD: PASSWORD,
      CRATE_KEYS_PRIVATE_DIR: join(directory, 'private'),
      CRATE_KEYS_TRUST_DIR: join(directory, 'trust'),
      CRATE_ENCRYPTION_KEYS_DIR: join(directory, 'encryption'),
      CRATE_WORKSPACES_DIR: join(directory, 'workspaces'),
      CRATE_SANDBOX_URL: sandbox.url,
      // A killed holder's keys are taken over sooner than in production.
      CRATE_RECONCILE_LEASE_MS: '3s',
      CRATE_RECONCILE_POLL_MS: '500ms',
    };
    return spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** The service's kinds as lifecycle sees them: over NATS, whichever process answers. */
  async remote(): Promise<Remote> {
    const keys = new FileKeyStore(this.keyDirectories, 'lifecycle');
    const issuer = new ServiceTokenIssuer({ service: 'lifecycle', keys, registry: new ServiceRegistry() });
    const user = { url: this.servers.nats.url, user: 'lifecycle', password: PASSWORD, name: 'lifecycle' };
    const nats = await connectNats({ ...user, inboxPrefix: inboxPrefix('lifecycle'), logger: this.logger });
    const api = new NatsResourceApi(new NatsServiceCaller(nats, issuer), 'cloud-mgmt');
    return {
      accounts: new TypedClient<CloudAccount>(api, CLOUD_ACCOUNT, LIFECYCLE),
      infrastructures: new TypedClient<Infrastructure>(api, INFRASTRUCTURE, LIFECYCLE),
      close: () => nats.close(),
    };
  }

  /** The tables of the service. */
  database(): Database {
    return new Database({ url: this.servers.databaseUrl, schema: 'cloud_mgmt', maxConnections: 2 });
  }

  async stopService(host: ServiceHost): Promise<void> {
    this.hosts.splice(this.hosts.indexOf(host), 1);
    await host.stop();
  }

  async stop(): Promise<void> {
    for (const host of this.hosts.reverse()) await host.stop();
    const { sandbox, nats, postgres, directory } = this.servers;
    await sandbox.close();
    await nats.stop();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  }

  accounts(host: ServiceHost): TypedClient<CloudAccount> {
    return host.foundation.clients.for(CLOUD_ACCOUNT);
  }

  infrastructures(host: ServiceHost): TypedClient<Infrastructure> {
    return host.foundation.clients.for(INFRASTRUCTURE);
  }

  /** Types of what the simulated cloud holds, each as often as it is there. */
  inventory(type?: string): string[] {
    const objects = this.sandbox.cloud.inventory.list({ account: ACCOUNT, ...(type === undefined ? {} : { type }) });
    return objects.map((object) => object.type).sort();
  }

  private async startPolicyMgmt(): Promise<void> {
    const parts: ServiceParts = {
      kinds: [],
      reconcilers: [],
      methods: {
        review: {
          scope: 'policy:review',
          handle: (body) => {
            this.reviews.push(body as PolicyReviewRequest);
            return Promise.resolve(this.verdict);
          },
        },
      },
    };
    const providers = [{ provide: SERVICE_PARTS, useValue: parts }];

    @Module({ providers, exports: providers })
    class PlayedPolicyModule {}

    await this.startHost('policy-mgmt', PlayedPolicyModule, hostConfig.parse(this.hostSettings('policy-mgmt')), []);
  }

  private async startHost(
    name: string,
    module: new () => object,
    config: Parameters<typeof ServiceHost.start>[0]['config'],
    migrations: readonly string[],
  ): Promise<ServiceHost> {
    const { logger } = this;
    const signal = new AbortController().signal;
    const host = await ServiceHost.start({ name, module, config, migrations, logger, signal });
    this.hosts.push(host);
    return host;
  }

  private get keyDirectories(): { privateDir: string; trustDir: string } {
    return { privateDir: join(this.directory, 'private'), trustDir: join(this.directory, 'trust') };
  }

  private hostSettings(service: string): Record<string, unknown> {
    return {
      database: { url: this.servers.databaseUrl },
      nats: { url: this.servers.nats.url, user: service, password: PASSWORD },
      keys: this.keyDirectories,
      encryption: { keysDir: join(this.directory, 'encryption') },
      reconcile: { pollMs: 500 },
    };
  }
}
