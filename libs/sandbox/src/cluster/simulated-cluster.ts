import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@crate/telemetry';
import { ClusterListener, type Endpoint } from './cluster-listener.js';
import { clusterRecord, type ClusterCertificates, type ClusterRecord, type Latency } from './cluster-record.js';
import type { ClusterCloud } from './cluster-cloud.js';
import type { ImageCatalog } from './containers/image-catalog.js';
import type { Machines } from './machines.js';
import { objectsDirectory, RunningCluster } from './running-cluster.js';

const RECORD = 'cluster.json';
const JOURNAL = 'journal.jsonl';
const API_PORT = 6443;

/** How API servers answer though their machines run. */
export interface TargetApis {
  /** Nobody is answered. */
  readonly down: boolean;
  /** Everybody is shown a certificate that is no longer good. */
  readonly expired: boolean;
}

export interface SimulatedClusterOptions {
  readonly directory: string;
  readonly machines: Machines;
  readonly cloud?: ClusterCloud;
  readonly images?: ImageCatalog;
  readonly latency: () => Latency;
  readonly apis: () => TargetApis;
  readonly logger: Logger;
}

/**
 * One simulated cluster: what lies on its machines' disks, and its API while enough of them run.
 * Its objects are read from disk when something first asks for them.
 */
export class SimulatedCluster {
  private readonly listener: ClusterListener;
  private running: Promise<RunningCluster> | undefined;
  private machineStates = '';

  private constructor(
    private current: ClusterRecord,
    private readonly options: SimulatedClusterOptions,
  ) {
    const logger = options.logger.child({ cluster: current.name });
    this.listener = new ClusterListener(
      () => this.shownCertificates(),
      {
        handle: async (request, response) => (await this.run()).handle(request, response),
        handleUpgrade: async (request, socket, head) => (await this.run()).handleUpgrade(request, socket, head),
      },
      logger,
    );
    this.machineStates = this.describeMachines();
  }

  static async create(record: ClusterRecord, options: SimulatedClusterOptions): Promise<SimulatedCluster> {
    await mkdir(options.directory, { recursive: true, mode: 0o700 });
    const cluster = new SimulatedCluster(record, options);
    await cluster.save(record);
    return cluster;
  }

  /** Undefined, and the directory cleared, when the cluster was never finished or half removed. */
  static async load(options: SimulatedClusterOptions): Promise<SimulatedCluster | undefined> {
    const text = await readFile(join(options.directory, RECORD), 'utf8').catch(() => undefined);
    if (text !== undefined) return new SimulatedCluster(clusterRecord.parse(JSON.parse(text)), options);
    await rm(options.directory, { recursive: true, force: true });
    return undefined;
  }

  get record(): ClusterRecord {
    return this.current;
  }

  /** Where the API can be reached now. */
  get endpoint(): Endpoint | undefined {
    const { apis } = this.options;
    return this.current.hasControlPlane && this.hasQuorum() && !apis().down ? this.findLoadBalancer() : undefined;
  }

  /** Shows new connections the certificate that is right now. */
  reloadCertificates(): void {
    this.listener.reloadCertificates();
  }

  /** Keeps a new state of the record; certificates are taken up at once. */
  async save(record: ClusterRecord): Promise<void> {
    const path = join(this.options.directory, RECORD);
    await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
    await rename(`${path}.new`, path);
    this.current = record;
    this.reloadCertificates();
  }

  /** The cluster with its objects in memory. */
  run(): Promise<RunningCluster> {
    this.running ??= RunningCluster.open({
      directory: this.options.directory,
      record: () => this.current,
      machineOf: (nodeName) => {
        const member = this.current.members.find((candidate) => candidate.nodeName === nodeName);
        return member && this.options.machines.find(member.machineId);
      },
      ...(this.options.cloud ? { cloud: this.options.cloud } : {}),
      ...(this.options.images ? { images: this.options.images } : {}),
      endpoint: () => this.endpoint,
      latency: this.options.latency,
      logger: this.options.logger.child({ cluster: this.current.name }),
    });
    return this.running;
  }

  /** Opens or closes the API as machines and load balancer allow, and tells nodes of machines that changed. */
  async followMachines(): Promise<void> {
    await this.listener.listenAt(this.endpoint);
    const states = this.describeMachines();
    if (states === this.machineStates) return;
    this.machineStates = states;
    const running = await this.run();
    running.lookAtNodes(this.current.members.map(({ nodeName }) => nodeName));
  }

  /** True when none of its machines is left. */
  isAbandoned(): boolean {
    return this.current.members.every(({ machineId }) => this.options.machines.find(machineId) === undefined);
  }

  async saveSnapshot(name: string): Promise<void> {
    await mkdir(this.snapshots(), { recursive: true });
    await copyFile(join(objectsDirectory(this.options.directory), JOURNAL), join(this.snapshots(), name));
  }

  /** Goes back to a snapshot; false when there is none of that name. */
  async restoreSnapshot(name: string): Promise<boolean> {
    const content = await readFile(join(this.snapshots(), name)).catch(() => undefined);
    if (!content) return false;
    await this.listener.listenAt(undefined);
    await this.stop();
    const journal = join(objectsDirectory(this.options.directory), JOURNAL);
    await writeFile(`${journal}.restored`, content, { mode: 0o600 });
    await rename(`${journal}.restored`, journal);
    await this.run();
    await this.listener.listenAt(this.endpoint);
    return true;
  }

  /** Stops answering and leaves everything on disk. */
  async close(): Promise<void> {
    const handled = this.listener.listenAt(undefined);
    await this.stop();
    await handled;
  }

  /** The cluster and everything it kept are gone. */
  async destroy(): Promise<void> {
    await this.close();
    // The record first: without it, what a crash leaves is cleared at the next start.
    await rm(join(this.options.directory, RECORD), { force: true });
    await rm(this.options.directory, { recursive: true, force: true });
  }

  private async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await (await running?.catch(() => undefined))?.close();
  }

  private shownCertificates(): ClusterCertificates {
    const { certificates } = this.current;
    const { expiredServerCertificate } = certificates;
    if (!this.options.apis().expired || expiredServerCertificate === undefined) return certificates;
    return { ...certificates, serverCertificate: expiredServerCertificate };
  }

  private findLoadBalancer(): Endpoint | undefined {
    for (const { roles, machineId } of this.current.members) {
      const found = roles.includes('controlplane') && this.options.machines.findLoadBalancer(machineId, API_PORT);
      if (found) return { address: found.address, port: found.port };
    }
    return undefined;
  }

  /** An API server answers only while most etcd members run. */
  private hasQuorum(): boolean {
    const isRunning = (id: string): boolean => this.options.machines.find(id)?.isRunning ?? false;
    const etcd = this.current.members.filter(({ roles }) => roles.includes('etcd'));
    const servers = this.current.members.filter(({ roles }) => roles.includes('controlplane'));
    const running = etcd.filter(({ machineId }) => isRunning(machineId)).length;
    return running * 2 > etcd.length && servers.some(({ machineId }) => isRunning(machineId));
  }

  private describeMachines(): string {
    const { machines } = this.options;
    return this.current.members.map(({ machineId }) => String(machines.find(machineId)?.isRunning)).join();
  }

  private snapshots(): string {
    return join(this.options.directory, 'snapshots');
  }
}
