import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@crate/telemetry';
import type { FastifyInstance } from 'fastify';
import { scaledLatency, type ClusterRecord, type Latency } from './cluster-record.js';
import type { ClusterCloud } from './cluster-cloud.js';
import { ImageCatalog } from './containers/image-catalog.js';
import type { Machines } from './machines.js';
import { registerClusterRoutes } from './routes.js';
import { SimulatedCluster, type SimulatedClusterOptions, type TargetApis } from './simulated-cluster.js';

export interface SimulatedClustersOptions {
  /** Clusters are kept below `clusters` in it. */
  readonly dataDir: string;
  readonly machines: Machines;
  /** Absent: clusters without cloud controllers, whose load balancers stay pending. */
  readonly cloud?: ClusterCloud;
  /** Factor on how long simulated work takes; asked each time, 0 for none. */
  readonly latencyScale: () => number;
  /** Resolves once nothing holds a stage of a run that is done; absent: nothing ever does. */
  readonly holdStage?: (run: 'up' | 'remove') => Promise<void>;
  readonly logger: Logger;
}

/** All simulated clusters of a sandbox. */
export class SimulatedClusters {
  private readonly clusters = new Map<string, SimulatedCluster>();
  private readonly stopFollowing: () => void;
  private following: Promise<void> | undefined;
  private isFollowingAgain = false;
  private isClosed = false;
  private apis: TargetApis = { down: false, expired: false };

  /** Images whose containers are processes of this machine. */
  private readonly images: ImageCatalog;

  constructor(readonly options: SimulatedClustersOptions) {
    this.images = new ImageCatalog(options.dataDir, (error) =>
      options.logger.error('The file of local images cannot be read', { error }),
    );
    this.stopFollowing = options.machines.onChange(() => void this.followMachines());
  }

  /** How long simulated work takes now. */
  readonly latency = (): Latency => scaledLatency(this.options.latencyScale());

  /** Adds the engine's routes to the sandbox's control API. */
  readonly routes = (app: FastifyInstance): void => registerClusterRoutes(app, this);

  /** Takes up what the last process left. */
  async load(): Promise<void> {
    await mkdir(this.root(), { recursive: true });
    for (const id of await readdir(this.root())) {
      const cluster = await SimulatedCluster.load(this.clusterOptions(id));
      if (cluster) this.clusters.set(id, cluster);
    }
    await this.followMachines();
  }

  list(): readonly SimulatedCluster[] {
    return [...this.clusters.values()];
  }

  /** The cluster whose node a machine is. */
  findByMachine(machineId: string): SimulatedCluster | undefined {
    return this.list().find(({ record }) => record.members.some((member) => member.machineId === machineId));
  }

  async create(record: Omit<ClusterRecord, 'id' | 'createdAt'>): Promise<SimulatedCluster> {
    const id = `c-${randomBytes(5).toString('hex')}`;
    const whole = { ...record, id, createdAt: new Date().toISOString() };
    const cluster = await SimulatedCluster.create(whole, this.clusterOptions(id));
    this.clusters.set(id, cluster);
    return cluster;
  }

  async remove(cluster: SimulatedCluster): Promise<void> {
    this.clusters.delete(cluster.record.id);
    await cluster.destroy();
  }

  /** How the API servers of all clusters answer. A restart lets them answer as they should. */
  async setApis(apis: TargetApis): Promise<void> {
    this.apis = apis;
    for (const cluster of this.list()) cluster.reloadCertificates();
    await this.followMachines();
  }

  /** Brings every cluster in line with the cloud. Calls that come while it does so share one more round. */
  followMachines(): Promise<void> {
    if (this.following) {
      this.isFollowingAgain = true;
      return this.following;
    }
    this.following = this.followUntilQuiet().finally(() => (this.following = undefined));
    return this.following;
  }

  /** Stops all clusters; they are as they were when the next process loads them. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.stopFollowing();
    await this.following;
    await Promise.all(this.list().map((cluster) => cluster.close()));
  }

  private async followUntilQuiet(): Promise<void> {
    do {
      this.isFollowingAgain = false;
      for (const cluster of this.list()) await this.followOne(cluster);
    } while (this.isFollowingAgain && !this.isClosed);
  }

  private async followOne(cluster: SimulatedCluster): Promise<void> {
    if (this.isClosed) return;
    try {
      if (cluster.isAbandoned()) await this.remove(cluster);
      else await cluster.followMachines();
    } catch (error) {
      this.options.logger.error('Following the machines of a cluster failed', { cluster: cluster.record.name, error });
    }
  }

  private clusterOptions(id: string): SimulatedClusterOptions {
    const { images } = this;
    const { machines, cloud, logger } = this.options;
    const directory = join(this.root(), id);
    const apis = (): TargetApis => this.apis;
    return { directory, machines, images, ...(cloud ? { cloud } : {}), latency: this.latency, apis, logger };
  }

  private root(): string {
    return join(this.options.dataDir, 'clusters');
  }
}

/** Starts the simulated clusters as they were when the last process stopped or died. */
export async function startSimulatedClusters(options: SimulatedClustersOptions): Promise<SimulatedClusters> {
  const clusters = new SimulatedClusters(options);
  await clusters.load();
  return clusters;
}
