import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { ensureKeyPair, natsServerConfig, SERVICES } from '@crate/auth';
import { Reconciler, type Outcome, type ReconcileContext, type ReconcileKey } from '@crate/reconcile';
import { InMemoryLogger } from '@crate/telemetry';
import { freePort, startNats, startPostgres, type NatsServer, type PostgresServer } from '@crate/testing';
import pg from 'pg';
import type { HostConfig } from '../host-config.js';
import { FOUNDATION } from '../host.module.js';
import type { Foundation } from '../foundation.js';
import { ServiceHost } from '../service-host.js';
import { SERVICE_PARTS, type ServiceParts } from '../service-parts.js';
import { tracingConfig } from '../tracing-config.js';

export const NATS_PASSWORD = 'nats-password';

/** Parts of a service, or how to make them of its foundation. */
export type ToyParts = Partial<ServiceParts> | ((foundation: Foundation) => Partial<ServiceParts>);

interface Servers {
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
  /** Where nats-server tells who is connected. */
  readonly monitorUrl: string;
}

/** Real Postgres and NATS with the real permissions, and any number of service replicas on them. */
export class HostBench {
  readonly logger = new InMemoryLogger();
  private readonly hosts = new Set<ServiceHost>();

  private constructor(
    readonly directory: string,
    private readonly servers: Servers,
    private databaseUrl: string,
  ) {}

  get nats(): NatsServer {
    return this.servers.nats;
  }

  static async start(): Promise<HostBench> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-host-'));
    const users = SERVICES.map((service) => ({ service, password: NATS_PASSWORD }));
    const monitorPort = await freePort();
    const config = `${natsServerConfig({ port: 4222, users })}\nhttp: "127.0.0.1:${monitorPort}"\n`;
    const [postgres, nats] = await Promise.all([startPostgres(), startNats({ config })]);
    const { url } = await postgres.createDatabase();
    const monitorUrl = `http://127.0.0.1:${monitorPort}`;
    const bench = new HostBench(directory, { postgres, nats, monitorUrl }, url);
    for (const service of SERVICES) await ensureKeyPair(bench.keys(service), service);
    return bench;
  }

  /** From now on services start on an empty database. */
  async useNewDatabase(): Promise<void> {
    ({ url: this.databaseUrl } = await this.servers.postgres.createDatabase());
  }

  config(service: string, overrides: Partial<HostConfig> = {}): HostConfig {
    return {
      logLevel: 'debug',
      stopMs: 20_000,
      stopDelayMs: 0,
      database: { url: this.databaseUrl, poolSize: 5 },
      nats: { url: this.nats.url, user: service, password: NATS_PASSWORD },
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
      // Long enough that nothing in a test happens because of a poll.
      events: { keepMs: 86_400_000, mostPerNamespace: 1000 },
      history: { changes: 100_000, maxAgeMs: 86_400_000, checkMs: 60_000 },
      reconcile: { leaseMs: 30_000, pollMs: 60_000, backoffCapMs: 30_000, graceMs: 5_000 },
      ...overrides,
    };
  }

  /** Starts one replica. */
  async start(service: string, parts: ToyParts, overrides: Partial<HostConfig> = {}): Promise<ServiceHost> {
    const host = await ServiceHost.start({
      name: service,
      module: toyModule(parts),
      config: this.config(service, overrides),
      migrations: [],
      logger: this.logger,
      signal: new AbortController().signal,
    });
    this.hosts.add(host);
    return host;
  }

  /** As on SIGTERM. */
  async stop(host: ServiceHost): Promise<void> {
    this.hosts.delete(host);
    await host.stop();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.hosts].map((host) => this.stop(host)));
  }

  /** Connections that services hold open right now. */
  async openConnections(): Promise<{ readonly postgres: number; readonly nats: number }> {
    const client = new pg.Client({ connectionString: this.servers.postgres.url });
    await client.connect();
    const names = SERVICES.map((service) => `'${service}'`).join();
    const sql = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name IN (${names})`;
    const { rows } = await client.query<{ n: number }>(sql);
    await client.end();
    const { connections } = (await (await fetch(`${this.servers.monitorUrl}/connz`)).json()) as {
      connections: unknown[];
    };
    return { postgres: rows[0]?.n ?? 0, nats: connections.length };
  }

  async close(): Promise<void> {
    await this.stopAll();
    await Promise.all([this.servers.postgres.stop(), this.servers.nats.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }

  keys(service: string): HostConfig['keys'] {
    return { privateDir: join(this.directory, service, 'keys'), trustDir: join(this.directory, 'trust') };
  }
}

/** A service module as a service writes one. */
export function toyModule(parts: ToyParts): new () => object {
  const useFactory = (foundation: Foundation): ServiceParts => ({
    kinds: [],
    reconcilers: [],
    ...(typeof parts === 'function' ? parts(foundation) : parts),
  });

  @Module({ providers: [{ provide: SERVICE_PARTS, useFactory, inject: [FOUNDATION] }], exports: [SERVICE_PARTS] })
  class ToyModule {}

  return ToyModule;
}

/** A reconciler that does what a test says. */
export class ToyReconciler extends Reconciler {
  constructor(
    override readonly name: string,
    private readonly pass: (key: ReconcileKey, context: ReconcileContext) => Promise<Outcome>,
  ) {
    super();
  }

  override reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    return this.pass(key, context);
  }
}
