import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ADD_ON_INSTALLATION,
  KUBERNETES_CLUSTER,
  type AddOnInstallation,
  type KubernetesCluster,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
} from '@crate/api';
import { readEnvironment } from '@crate/config';
import type { TypedClient } from '@crate/resource-client';
import { runSandbox, startSimulatedClusters, type RunningSandbox } from '@crate/sandbox';
import type { ServiceHost } from '@crate/service-host';
import { ServicePlatform } from '@crate/service-testing';
import { InMemoryLogger } from '@crate/telemetry';
import { freePort } from '@crate/testing';
import { ClusterMgmtModule } from '../cluster-mgmt.module.js';
import { clusterMgmtConfig } from '../config.js';
import { CLUSTER_MGMT_MIGRATIONS } from '../migrations.js';
import { TestMachines } from './test-machines.js';

/** The engine under test is the compiled one. */
const RKE_MAIN = fileURLToPath(new URL('../../../../libs/sandbox/dist/rke/main.js', import.meta.url));

interface PlatformParts {
  readonly apiPort: number;
  readonly machines: TestMachines;
  readonly sandbox: RunningSandbox;
}

/**
 * cluster-mgmt as it runs, with real Postgres, NATS and the sandbox's `rke` and clusters; policy-mgmt is played,
 * and so is the cloud that machines come from.
 */
export class TestPlatform {
  private constructor(
    private readonly platform: ServicePlatform,
    private readonly parts: PlatformParts,
  ) {}

  get directory(): string {
    return this.platform.directory;
  }

  get logger(): InMemoryLogger {
    return this.platform.logger;
  }

  /** Asked by cluster-mgmt, answered by `verdict`. */
  get reviews(): PolicyReviewRequest[] {
    return this.platform.reviews;
  }

  set verdict(verdict: PolicyReviewResponse) {
    this.platform.verdict = verdict;
  }

  get workspacesDir(): string {
    return join(this.directory, 'workspaces');
  }

  /** The way in of the pod that cluster-mgmt would be, when the simulated cluster is the one that it runs in. */
  get serviceAccount(): { readonly server: string; readonly tokenFile: string; readonly caFile: string } {
    const [tokenFile, caFile] = [join(this.directory, 'token'), join(this.directory, 'ca.crt')];
    return { server: `https://127.0.0.1:${this.apiPort}`, tokenFile, caFile };
  }

  get machines(): TestMachines {
    return this.parts.machines;
  }

  /** Where the simulated cluster's API is reached on 127.0.0.1. */
  get apiPort(): number {
    return this.parts.apiPort;
  }

  static async start(): Promise<TestPlatform> {
    const platform = await ServicePlatform.start();
    const apiPort = await freePort();
    const machines = new TestMachines(apiPort);
    const sandbox = await runSandbox({
      dataDir: join(platform.directory, 'sandbox'),
      port: 0,
      latencyScale: 0,
      logger: new InMemoryLogger(),
      parts: [(options) => startSimulatedClusters({ ...options, machines, latencyScale: () => 0 })],
    });
    const started = new TestPlatform(platform, { apiPort, machines, sandbox });
    await started.writeRke();
    return started;
  }

  /** Starts a replica of cluster-mgmt. */
  async startService(): Promise<ServiceHost> {
    const config = clusterMgmtConfig.parse({
      ...this.platform.settingsOf('cluster-mgmt'),
      rkeBinary: join(this.directory, 'rke'),
      path: readEnvironment()['PATH'],
      workspacesDir: this.workspacesDir,
      inCluster: { enabled: true, ...this.serviceAccount },
    });
    const migrations = CLUSTER_MGMT_MIGRATIONS;
    return this.platform.startService({ name: 'cluster-mgmt', module: ClusterMgmtModule, config, migrations });
  }

  async stopService(host: ServiceHost): Promise<void> {
    await this.platform.stopService(host);
  }

  async stop(): Promise<void> {
    await this.platform.stopServices();
    await this.parts.sandbox.close();
    await this.platform.stop();
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
}
