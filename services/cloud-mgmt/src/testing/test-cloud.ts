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
import { ensureKeyPair, natsServerConfig, SERVICES } from '@crate/auth';
import type { TypedClient } from '@crate/resource-client';
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
const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
const ALLOWED: PolicyReviewResponse = { allowed: true, violations: [] };

/** What a test may say about the service it starts. */
export interface ServiceOptions {
  readonly slots?: number;
  /** Working files of its own, as on another host. */
  readonly workspaces?: string;
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

  private hostSettings(service: string): Record<string, unknown> {
    return {
      database: { url: this.servers.databaseUrl },
      nats: { url: this.servers.nats.url, user: service, password: PASSWORD },
      keys: { privateDir: join(this.directory, 'private'), trustDir: join(this.directory, 'trust') },
      encryption: { keysDir: join(this.directory, 'encryption') },
      reconcile: { pollMs: 500 },
    };
  }
}
