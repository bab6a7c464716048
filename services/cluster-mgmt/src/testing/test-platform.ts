import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import {
  ADD_ON_INSTALLATION,
  KUBERNETES_CLUSTER,
  type AddOnInstallation,
  type KubernetesCluster,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
} from '@crate/api';
import { ensureKeyPair, natsServerConfig, SERVICES } from '@crate/auth';
import { readEnvironment } from '@crate/config';
import type { TypedClient } from '@crate/resource-client';
import { runSandbox, startSimulatedClusters, type RunningSandbox } from '@crate/sandbox';
import { hostConfig, SERVICE_PARTS, ServiceHost, type ServiceParts } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { freePort, startNats, startPostgres, type NatsServer, type PostgresServer } from '@crate/testing';
import { ClusterMgmtModule } from '../cluster-mgmt.module.js';
import { clusterMgmtConfig, type ClusterMgmtConfig } from '../config.js';
import { CLUSTER_MGMT_MIGRATIONS } from '../migrations.js';
import { TestMachines } from './test-machines.js';

const PASSWORD = 'a-password';
/** The engine under test is the compiled one. */
const RKE_MAIN = fileURLToPath(new URL('../../../../libs/sandbox/dist/rke/main.js', import.meta.url));

interface PlatformParts {
  readonly directory: string;
  readonly apiPort: number;
  readonly machines: TestMachines;
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly nats: NatsServer;
  readonly sandbox: RunningSandbox;
}

/**
 * cluster-mgmt as it runs, with real Postgres, NATS and the sandbox's `rke` and clusters; policy-mgmt is played,
 * and so is the cloud that machines come from.
 */
export class TestPlatform {
  readonly logger = new InMemoryLogger();
  readonly reviews: PolicyReviewRequest[] = [];
  verdict: PolicyReviewResponse = { allowed: true, violations: [] };
  private readonly hosts: ServiceHost[] = [];

  private constructor(private readonly parts: PlatformParts) {}

  get directory(): string {
    return this.parts.directory;
  }

  get workspacesDir(): string {
    return join(this.directory, 'workspaces');
  }

  get machines(): TestMachines {
    return this.parts.machines;
  }

  /** Where the simulated cluster's API is reached on 127.0.0.1. */
  get apiPort(): number {
    return this.parts.apiPort;
  }

  static async start(): Promise<TestPlatform> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-cluster-mgmt-'));
    const users = SERVICES.map((service) => ({ service, password: PASSWORD }));
    const [postgres, nats] = await Promise.all([
      startPostgres(),
      startNats({ config: natsServerConfig({ port: 4222, users }) }),
    ]);
    for (const service of SERVICES) {
      await ensureKeyPair({ privateDir: join(directory, 'private'), trustDir: join(directory, 'trust') }, service);
    }
    const apiPort = await freePort();
    const machines = new TestMachines(apiPort);
    const { url } = await postgres.createDatabase();
    const sandbox = await runSandbox({
      dataDir: join(directory, 'sandbox'),
      port: 0,
      latencyScale: 0,
      logger: new InMemoryLogger(),
      parts: [(options) => startSimulatedClusters({ ...options, machines, latencyScale: () => 0 })],
    });
    const platform = new TestPlatform({ directory, apiPort, machines, postgres, databaseUrl: url, nats, sandbox });
    await platform.writeRke();
    await platform.startPolicyMgmt();
    return platform;
  }

  /** Starts a replica of cluster-mgmt. */
  async startService(): Promise<ServiceHost> {
    const config: ClusterMgmtConfig = clusterMgmtConfig.parse({
      ...this.hostSettings('cluster-mgmt'),
      rkeBinary: join(this.directory, 'rke'),
      path: readEnvironment()['PATH'],
      workspacesDir: this.workspacesDir,
    });
    return this.startHost('cluster-mgmt', ClusterMgmtModule, config, [CLUSTER_MGMT_MIGRATIONS]);
  }

  async stopService(host: ServiceHost): Promise<void> {
    this.hosts.splice(this.hosts.indexOf(host), 1);
    await host.stop();
  }

  async stop(): Promise<void> {
    for (const host of this.hosts.reverse()) await host.stop();
    await this.parts.sandbox.close();
    await this.parts.nats.stop();
    await this.parts.postgres.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** The engine as `crate up` installs it; `before` is shell that runs first. */
  async writeRke(before = ''): Promise<void> {
    const path = join(this.directory, 'rke');
    const lines = [
      '#!/bin/sh',
      before,
      `export CRATE_SANDBOX_URL='${this.parts.sandbox.url}'`,
      `exec '${process.execPath}' '${RKE_MAIN}' "$@"`,
    ];
    await writeFile(path, `${lines.join('\n')}\n`);
    await chmod(path, 0o755);
  }

  clusters(host: ServiceHost): TypedClient<KubernetesCluster> {
    return host.foundation.clients.for(KUBERNETES_CLUSTER);
  }

  installations(host: ServiceHost): TypedClient<AddOnInstallation> {
    return host.foundation.clients.for(ADD_ON_INSTALLATION);
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
      database: { url: this.parts.databaseUrl },
      nats: { url: this.parts.nats.url, user: service, password: PASSWORD },
      keys: { privateDir: join(this.directory, 'private'), trustDir: join(this.directory, 'trust') },
      encryption: { keysDir: join(this.directory, 'encryption') },
      reconcile: { pollMs: 500 },
    };
  }
}
