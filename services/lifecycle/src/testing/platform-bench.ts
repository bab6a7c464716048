import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Module, type Type } from '@nestjs/common';
import { ensureKeyPair, FileKeyStore, LOCAL_ISSUER, LocalIssuer, natsServerConfig, SERVICES } from '@crate/auth';
import { SERVICE_PARTS, ServiceHost, tracingConfig, type HostConfig, type ServiceParts } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { freePort, startNats, startPostgres, type NatsServer, type PostgresServer } from '@crate/testing';
import { lifecycleConfig, type LifecycleConfig } from '../config.js';
import { LifecycleModule } from '../lifecycle.module.js';
import { inClusterConfig } from '../in-cluster/in-cluster.config.js';
import { LIFECYCLE_MIGRATIONS } from '../migrations.js';
import { meteringConfig } from '../metering/metering.config.js';
import { notificationConfig, smtpConfig } from '../notification/notification-config.js';
import { releasesConfig } from '../release/release.config.js';
import { ConsoleBrowser } from './console-browser.js';
import { callApi, watchApi, type ApiAnswer, type ApiCall } from './api-call.js';

const run = promisify(execFile);
const PASSWORD = 'a-password';
const ADD_ONS = fileURLToPath(new URL('../../../../deploy/add-ons', import.meta.url));

/** The lifecycle service as it runs in production, with real Postgres, NATS and TLS; its neighbours are made up. */
export class PlatformBench {
  readonly logger = new InMemoryLogger();
  private readonly hosts: ServiceHost[] = [];
  private ca = Buffer.alloc(0);
  private databaseUrl = '';

  private constructor(
    private readonly directory: string,
    private readonly postgres: PostgresServer,
    private readonly nats: NatsServer,
    readonly apiPort: number,
  ) {}

  static async start(): Promise<PlatformBench> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-lifecycle-'));
    const users = SERVICES.map((service) => ({ service, password: PASSWORD }));
    const config = natsServerConfig({ port: 4222, users });
    const [postgres, nats] = await Promise.all([startPostgres(), startNats({ config })]);
    const bench = new PlatformBench(directory, postgres, nats, await freePort());
    await bench.prepare();
    return bench;
  }

  get url(): string {
    return `https://127.0.0.1:${this.apiPort}`;
  }

  /** What the public API shows, which is its own authority. */
  get certificate(): Buffer {
    return this.ca;
  }

  /** Returns when the public API is open. Several run side by side when their ports differ. */
  async startLifecycle(changes: Partial<LifecycleConfig> = {}, port = this.apiPort): Promise<ServiceHost> {
    const config: LifecycleConfig = {
      ...this.hostConfig('lifecycle'),
      api: this.apiConfig({}, port),
      authentication: {},
      console: { sessionMs: 3_600_000 },
      inCluster: inClusterConfig.parse(undefined),
      notification: notificationConfig.parse({ allowedNetworks: ['127.0.0.0/8'] }),
      smtp: smtpConfig.parse({}),
      releases: releasesConfig.parse(undefined),
      marketplace: meteringConfig.parse(undefined),
      components: {},
      apiKeys: { defaultLifetimeMs: 3_600_000, maxLifetimeMs: 86_400_000 },
      addOns: { dir: ADD_ONS },
      cluster: { concurrency: 4 },
      deletion: { warningAfterMs: 900_000 },
      policy: { unavailable: { clusterSpec: 'deny' } },
      ...changes,
    };
    return this.startHost('lifecycle', LifecycleModule, config);
  }

  /** The settings of the public API, with these changed. */
  apiConfig(changes: object, port = this.apiPort): LifecycleConfig['api'] {
    // A test asks more in a second than a person; what is about limits states its own.
    const patient = { limits: { perSecond: 10_000, burst: 10_000 }, signIn: { failureBurst: 10_000 }, drainMs: 0 };
    return lifecycleConfig.shape.api.parse({ host: '127.0.0.1', port, tls: this.tlsFiles(), ...patient, ...changes });
  }

  /** What kubectl needs to be somebody here. */
  kubeconfigOf(user: string, groups: readonly string[]): string {
    const cluster = { server: this.url, 'certificate-authority-data': this.ca.toString('base64') };
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'crate', cluster }],
      users: [{ name: user, user: { token: this.tokenOf(user, groups) } }],
      contexts: [{ name: 'crate', context: { cluster: 'crate', user } }],
      'current-context': 'crate',
    });
  }

  /** A neighbour that is nothing but these parts. */
  async startNeighbour(service: string, parts: Partial<ServiceParts>): Promise<ServiceHost> {
    const useValue: ServiceParts = { kinds: [], reconcilers: [], ...parts };

    @Module({ providers: [{ provide: SERVICE_PARTS, useValue }], exports: [SERVICE_PARTS] })
    class NeighbourModule {}

    return this.startHost(service, NeighbourModule, this.hostConfig(service));
  }

  /** Stops every replica of a service. */
  async stopService(service: string): Promise<void> {
    for (const host of this.hosts.filter(({ foundation }) => foundation.service === service)) {
      this.hosts.splice(this.hosts.indexOf(host), 1);
      await host.stop();
    }
  }

  /** A token for a person in the groups. */
  tokenFor(...groups: string[]): string {
    return this.tokenOf('ada', groups);
  }

  tokenOf(user: string, groups: readonly string[]): string {
    return new LocalIssuer(new FileKeyStore(this.keys(LOCAL_ISSUER), LOCAL_ISSUER)).issue({ user, groups }, 600);
  }

  /** The first replica of a service that runs. */
  hostOf(service: string): ServiceHost {
    const host = this.hosts.find(({ foundation }) => foundation.service === service);
    if (!host) throw new Error(`${service} does not run`);
    return host;
  }

  /** `port`: of another replica. */
  async call(call: ApiCall, port = this.apiPort): Promise<ApiAnswer> {
    return callApi(`https://127.0.0.1:${port}`, this.ca, call);
  }

  /** A browser that nobody signed in with; `port`: at another replica. */
  browser(port = this.apiPort): ConsoleBrowser {
    return new ConsoleBrowser(`https://127.0.0.1:${port}`, this.ca);
  }

  async watch(call: ApiCall, enough: number): Promise<readonly unknown[]> {
    return watchApi(this.url, this.ca, call, enough);
  }

  async close(): Promise<void> {
    for (const host of this.hosts.toReversed()) await host.stop();
    await Promise.all([this.postgres.stop(), this.nats.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }

  private async prepare(): Promise<void> {
    ({ url: this.databaseUrl } = await this.postgres.createDatabase());
    for (const service of [...SERVICES, LOCAL_ISSUER]) await ensureKeyPair(this.keys(service), service);
    const { certificateFile, keyFile } = this.tlsFiles();
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
    const subject = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    await run('openssl', ['req', '-x509', ...key, ...subject, '-out', certificateFile]);
    this.ca = await readFile(certificateFile);
  }

  private async startHost(name: string, module: Type, config: HostConfig): Promise<ServiceHost> {
    const { signal } = new AbortController();
    const migrations = name === 'lifecycle' ? [LIFECYCLE_MIGRATIONS] : [];
    const host = await ServiceHost.start({ name, module, config, migrations, logger: this.logger, signal });
    this.hosts.push(host);
    return host;
  }

  private hostConfig(service: string): HostConfig {
    return {
      logLevel: 'debug',
      stopMs: 20_000,
      stopDelayMs: 0,
      database: { url: this.databaseUrl, poolSize: 5 },
      nats: { url: this.nats.url, user: service, password: PASSWORD },
      keys: this.keys(service),
      encryption: {
        keysDir: join(this.directory, service, 'encryption'),
        keptVersions: 20,
        renewalCheckMs: 15_000,
        settleMs: 0,
      },
      recovery: { noteMs: 2_000 },
      audit: { checkpointMs: 60_000, retentionMs: 0 },
      tracing: tracingConfig.parse(undefined),
      health: { host: '127.0.0.1', port: 0 },
      events: { keepMs: 86_400_000, mostPerNamespace: 1000 },
      history: { changes: 100_000, maxAgeMs: 86_400_000, checkMs: 60_000 },
      reconcile: { leaseMs: 30_000, pollMs: 5_000, backoffCapMs: 30_000, graceMs: 5_000 },
    };
  }

  private keys(service: string): HostConfig['keys'] {
    return { privateDir: join(this.directory, service, 'keys'), trustDir: join(this.directory, 'trust') };
  }

  private tlsFiles(): LifecycleConfig['api']['tls'] {
    return { certificateFile: join(this.directory, 'tls.crt'), keyFile: join(this.directory, 'tls.key') };
  }
}
