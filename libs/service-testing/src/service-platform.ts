import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { ensureKeyPair, natsServerConfig, SERVICES } from '@crate/auth';
import { hostConfig, ServiceHost, type ServiceHostOptions } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { startNats, startPostgres, type NatsServer, type PostgresServer } from '@crate/testing';
import { playedPolicyModule } from './played-policy.module.js';

const PASSWORD = 'a-password';

/** A service as a test starts it. */
export type TestedService = Pick<ServiceHostOptions, 'name' | 'module' | 'config' | 'migrations'>;

interface Servers {
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
}

/** Where services run as they are, with real Postgres, NATS, keys and permissions; policy-mgmt is played. */
export class ServicePlatform {
  readonly logger = new InMemoryLogger();
  /** What policy-mgmt was asked, in order. */
  readonly reviews: PolicyReviewRequest[] = [];
  /** What policy-mgmt answers. */
  verdict: PolicyReviewResponse = { allowed: true, violations: [] };
  /** Password of every service at NATS. */
  readonly password = PASSWORD;
  private readonly hosts: ServiceHost[] = [];

  private constructor(
    /** For files of the test and of its services; gone after `stop`. */
    readonly directory: string,
    readonly databaseUrl: string,
    private readonly servers: Servers,
  ) {}

  static async start(): Promise<ServicePlatform> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-services-'));
    const [postgres, nats] = await Promise.all([
      startPostgres(),
      startNats({
        config: natsServerConfig({ port: 4222, users: SERVICES.map((service) => ({ service, password: PASSWORD })) }),
      }),
    ]);
    const { url } = await postgres.createDatabase();
    const platform = new ServicePlatform(directory, url, { postgres, nats });
    for (const service of SERVICES) await ensureKeyPair(platform.keys, service);
    await platform.startPolicyMgmt();
    return platform;
  }

  get natsUrl(): string {
    return this.servers.nats.url;
  }

  /** Directories of the services' key pairs. */
  get keys(): { readonly privateDir: string; readonly trustDir: string } {
    return { privateDir: join(this.directory, 'private'), trustDir: join(this.directory, 'trust') };
  }

  get encryptionKeysDir(): string {
    return join(this.directory, 'encryption');
  }

  /** The settings every service has, as its configuration schema reads them. */
  settingsOf(service: string): Record<string, unknown> {
    return {
      database: { url: this.databaseUrl },
      nats: { url: this.natsUrl, user: service, password: this.password },
      keys: this.keys,
      encryption: { keysDir: this.encryptionKeysDir },
      reconcile: { pollMs: 500 },
    };
  }

  /** Starts a replica. */
  async startService(service: TestedService): Promise<ServiceHost> {
    const { signal } = new AbortController();
    const host = await ServiceHost.start({ ...service, logger: this.logger, signal });
    this.hosts.push(host);
    return host;
  }

  async stopService(host: ServiceHost): Promise<void> {
    this.hosts.splice(this.hosts.indexOf(host), 1);
    await host.stop();
  }

  /** The last started first. Idempotent. */
  async stopServices(): Promise<void> {
    for (const host of this.hosts.splice(0).reverse()) await host.stop();
  }

  async stop(): Promise<void> {
    await this.stopServices();
    await this.servers.nats.stop();
    await this.servers.postgres.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async startPolicyMgmt(): Promise<void> {
    const module = playedPolicyModule((request) => {
      this.reviews.push(request);
      return this.verdict;
    });
    const config = hostConfig.parse(this.settingsOf('policy-mgmt'));
    await this.startService({ name: 'policy-mgmt', module, config, migrations: [] });
  }
}
