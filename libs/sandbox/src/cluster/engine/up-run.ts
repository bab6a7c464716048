import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterRecord } from '../cluster-record.js';
import type { RkeNode, UpRequest } from '../rke-protocol.js';
import type { RunningCluster } from '../running-cluster.js';
import type { SimulatedCluster } from '../simulated-cluster.js';
import type { SimulatedClusters } from '../simulated-clusters.js';
import { ensureBaseObjects } from './base-objects.js';
import { deployAddOns } from './deploy-add-ons.js';
import { hasOtherRoles, isControlPlaneMoved, isEtcdReplaced, join, memberOf, membersToRemove } from './members.js';
import { drainNode } from './drain-node.js';
import { requireReachable, requireWholeControlPlane } from './max-unavailable.js';
import { deleteNode, hasNode, isBehind, registerNode, setUnschedulable } from './nodes.js';
import { info, RunFailure, warning, type EngineRun, type Run } from './run-events.js';
import { syncNode } from './sync-node.js';
import { openTunnels, type OpenHost, type Tunnels } from './tunnels.js';

const CONTROL_PLANE = '[controlPlane] Failed to upgrade Control Plane';
const WORKER_PLANE = '[workerPlane] Failed to upgrade Worker Plane';
const NO_ETCD = 'Cluster must have at least one etcd plane host';

/** Brings hosts to what the request says, one observable step after the other; each step may be repeated. */
export class UpRun implements EngineRun {
  private readonly tunnels: Tunnels;
  /** Machines on which this run has started what makes them nodes. */
  private readonly deployed = new Set<string>();

  constructor(
    private readonly clusters: SimulatedClusters,
    private readonly request: UpRequest,
  ) {
    this.tunnels = openTunnels(request, clusters.options.machines);
  }

  get machineIds(): readonly string[] {
    return this.tunnels.open.map(({ machine }) => machine.id);
  }

  async *run(): Run {
    yield* this.dial();
    const existing = this.findCluster();
    yield* this.checkPorts(existing);
    const before = existing?.record;
    const cluster = existing ?? (await this.createCluster());
    yield* this.deployCertificates(cluster);
    const running = await cluster.run();
    running.lookAtNamespaces();
    yield* this.reconcile(cluster, running, before);
    await this.stage();
    yield info('Pre-pulling kubernetes images');
    yield info('Kubernetes images pulled successfully');
    yield* this.etcdPlane();
    yield* this.controlPlane(cluster, running, before);
    yield { event: 'controlPlaneDeployed', leftOut: this.tunnels.closed.map(({ node }) => node.address) };
    yield* this.workerPlane(cluster, running, before);
    yield* this.syncNodes(running);
    yield* deployAddOns(this.request, running, () => this.stage());
    this.checkAllIncluded();
    yield { event: 'finished' };
  }

  private async *dial(): Run {
    for (const { address } of this.request.nodes) yield info(`[dialer] Setup tunnel for host [${address}]`);
    await this.stage();
    for (const { node, reason } of this.tunnels.closed) {
      yield warning(`Failed to set up SSH tunneling for host [${node.address}]: ${reason}`);
    }
    for (const { node } of this.tunnels.closed) yield warning(`Removing host [${node.address}] from node lists`);
    if (this.withRole('etcd').length > 0) return;
    const failed = this.tunnels.closed
      .filter(({ node }) => node.roles.includes('etcd'))
      .map(({ node }) => node.address);
    throw new RunFailure(`${NO_ETCD}: failed to connect to the following etcd host(s) [${failed.join(' ')}]`);
  }

  private findCluster(): SimulatedCluster | undefined {
    const found = new Set(this.tunnels.open.map(({ machine }) => this.clusters.findByMachine(machine.id)));
    found.delete(undefined);
    if (found.size > 1)
      throw new RunFailure('[etcd] Failed to bring up Etcd Plane: hosts belong to different clusters');
    const [cluster] = found;
    if (isEtcdReplaced(this.request, this.tunnels.open)) {
      const advice = 'Stopping provisioning. Please restore your cluster from backup.';
      throw new RunFailure(`Failed to reconcile etcd plane: Etcd plane nodes are replaced. ${advice}`);
    }
    return cluster;
  }

  private async *checkPorts(existing: SimulatedCluster | undefined): Run {
    const known = new Set(existing?.record.members.map(({ machineId }) => machineId));
    if (existing && this.tunnels.open.every(({ machine }) => known.has(machine.id))) {
      yield info('[network] No hosts added existing cluster, skipping port check');
      return;
    }
    yield info('[network] Deploying port listener containers');
    await this.stage();
    yield info('[network] Port listener containers deployed successfully');
    yield info('[network] Running control plane -> etcd port checks');
    yield info('[network] Running workers -> control plane port checks');
    yield info('[network] Removing port listener containers');
  }

  private async createCluster(): Promise<SimulatedCluster> {
    const { clusterName, kubernetesVersion, network, certificates } = this.request;
    const etcd = this.withRole('etcd').map(memberOf);
    return this.clusters.create({
      name: clusterName,
      version: kubernetesVersion,
      network,
      certificates,
      hasControlPlane: false,
      members: etcd,
    });
  }

  private async *deployCertificates(cluster: SimulatedCluster): Run {
    yield info('[certificates] Deploying kubernetes certificates to Cluster nodes');
    await this.stage();
    const { certificates, network, clusterName } = this.request;
    await cluster.save({ ...cluster.record, certificates, network, name: clusterName });
    yield { event: 'certificatesDeployed' };
    yield info('[certificates] Successfully deployed kubernetes certificates to Cluster nodes');
  }

  private async *reconcile(cluster: SimulatedCluster, running: RunningCluster, before: ClusterRecord | undefined): Run {
    yield info('[reconcile] Reconciling cluster state');
    if (!before) {
      yield info('[reconcile] This is newly generated cluster');
      return;
    }
    yield info('[reconcile] Check etcd hosts to be deleted');
    for (const member of membersToRemove(before, this.request, this.tunnels.open)) {
      yield info(`[hosts] Cordoning host [${member.address}]`);
      await setUnschedulable(running.scope, member.nodeName, true);
      await this.stage();
      yield info(`[hosts] Deleting host [${member.address}] from the cluster`);
      const isWanted = this.request.nodes.some(({ hostname }) => hostname === member.nodeName);
      if (!isWanted) await deleteNode(running.scope, member.nodeName);
      const members = cluster.record.members.filter(({ machineId }) => machineId !== member.machineId);
      await cluster.save({ ...cluster.record, members });
      yield info(`[hosts] Successfully deleted host [${member.address}] from the cluster`);
    }
    yield info('[reconcile] Check etcd hosts to be added');
    this.checkEtcdMembers(cluster);
    yield info('[reconcile] Reconciled cluster state successfully');
  }

  /** Etcd takes no new member while one of the others cannot be reached. */
  private checkEtcdMembers({ record: { members } }: SimulatedCluster): void {
    const etcd = members.filter(({ roles }) => roles.includes('etcd'));
    const known = new Set(etcd.map(({ machineId }) => machineId));
    const added = this.withRole('etcd').find(({ machine }) => !known.has(machine.id));
    const isWhole = etcd.every(({ machineId }) => this.clusters.options.machines.find(machineId)?.isRunning);
    if (!added || isWhole) return;
    const { hostname } = added.node;
    throw new RunFailure(
      `Failed to reconcile etcd plane: Failed to add etcd member [etcd-${hostname}] to etcd cluster`,
    );
  }

  private async *etcdPlane(): Run {
    if (this.request.isUpdateOnly) return;
    yield info('[etcd] Building up etcd plane..');
    const down = this.tunnels.closed.filter(({ node }) => node.roles.includes('etcd'));
    if (this.withRole('etcd').length <= down.length) {
      const hosts = this.withRole('etcd').map(({ node }) => node.address);
      throw new RunFailure(
        `[etcd] Failed to bring up Etcd Plane: etcd cluster is unhealthy: hosts [${hosts.join(',')}] failed to report healthy. Check etcd container logs on each host for more information`,
      );
    }
    await this.stage();
    yield info('[etcd] Successfully started etcd plane.. Checking etcd cluster health');
  }

  private async *controlPlane(
    cluster: SimulatedCluster,
    running: RunningCluster,
    before: ClusterRecord | undefined,
  ): Run {
    const hosts = this.withRole('controlplane');
    if (hosts.length === 0)
      throw new RunFailure('[controlPlane] Failed to bring up Control Plane: no host can be reached');
    yield info(
      this.isUpgrade
        ? '[controlplane] Processing controlplane hosts for upgrade 1 at a time'
        : '[controlplane] Building up Controller Plane..',
    );
    if (this.isUpgrade) requireReachable(this.request, 'controlplane', this.closed);
    await this.stage();
    await this.join(cluster, [...this.withRole('etcd'), ...hosts]);
    await ensureBaseObjects(
      running.scope,
      hosts.map(({ machine }) => machine.privateAddress),
    );
    await cluster.save({ ...cluster.record, hasControlPlane: true });
    await this.clusters.followMachines();
    for (const host of this.isUpgrade ? hosts : []) {
      yield info(`Processing controlplane host ${host.node.hostname}`);
      if (isNew(running, host, before)) await this.deploy(cluster, running, host);
      else if (this.isOutdated(cluster, running, host)) await this.upgradeHost(cluster, running, host, CONTROL_PLANE);
    }
    if (this.isUpgrade) requireWholeControlPlane(this.closed);
    yield info('[controlplane] Successfully started Controller Plane..');
    yield info('[authz] Creating rke-job-deployer ServiceAccount');
    yield info('[authz] rke-job-deployer ServiceAccount created successfully');
  }

  private async *workerPlane(
    cluster: SimulatedCluster,
    running: RunningCluster,
    before: ClusterRecord | undefined,
  ): Run {
    yield info(this.isUpgrade ? '[worker] Upgrading Worker Plane..' : '[worker] Building up Worker Plane..');
    if (this.isUpgrade) requireReachable(this.request, 'worker', this.closed);
    await this.stage();
    await this.join(cluster, this.tunnels.open);
    const isMoved = isControlPlaneMoved(this.request);
    for (const host of this.tunnels.open) {
      const { hostname, roles } = host.node;
      if (!this.isUpgrade) {
        await this.deploy(cluster, running, host);
        continue;
      }
      if (roles.includes('controlplane')) continue;
      yield info(`[workerplane] Processing host ${hostname}`);
      if (isNew(running, host, before)) await this.deploy(cluster, running, host);
      else if (isMoved || this.isOutdated(cluster, running, host))
        await this.upgradeHost(cluster, running, host, WORKER_PLANE);
    }
    await this.clusters.followMachines();
    yield info('[worker] Successfully started Worker Plane..');
  }

  private join(cluster: SimulatedCluster, hosts: readonly OpenHost[]): Promise<void> {
    return join(cluster, hosts, { version: this.request.kubernetesVersion, deployed: this.deployed });
  }

  /** Starts on a host what makes it a node. */
  private async deploy(cluster: SimulatedCluster, running: RunningCluster, host: OpenHost): Promise<void> {
    await registerNode(running.scope, memberOf(host), host.machine);
    this.deployed.add(host.machine.id);
    await this.join(cluster, [host]);
  }

  /** What runs on a host is other than what the configuration says: its version, or what its roles make of its kubelet. */
  private isOutdated({ record }: SimulatedCluster, { scope }: RunningCluster, host: OpenHost): boolean {
    return isBehind(scope, host.node.hostname) || hasOtherRoles(record, host);
  }

  private async upgradeHost(
    cluster: SimulatedCluster,
    running: RunningCluster,
    host: OpenHost,
    failed: string,
  ): Promise<void> {
    const { node } = host;
    await setUnschedulable(running.scope, node.hostname, true);
    try {
      if (this.request.upgrade.drain) await drainNode(running.scope, node.hostname);
    } catch (error) {
      throw error instanceof RunFailure ? new RunFailure(`${failed}: [${error.message}]`, { cause: error }) : error;
    }
    await this.stage();
    await this.deploy(cluster, running, host);
    await setUnschedulable(running.scope, node.hostname, false);
  }

  /** The state file knows of hosts that are the cluster: what follows takes them in turns. */
  private get isUpgrade(): boolean {
    return this.request.previousNodes !== undefined;
  }

  private get closed(): readonly RkeNode[] {
    return this.tunnels.closed.map(({ node }) => node);
  }

  private async *syncNodes({ scope }: RunningCluster): Run {
    yield info('[sync] Syncing nodes Labels and Taints');
    const { previousNodes } = this.request;
    for (const { node, machine } of this.tunnels.open) {
      await syncNode(scope, node, { previousNodes, isDeployed: this.deployed.has(machine.id) });
    }
    yield info('[sync] Successfully synced nodes Labels and Taints');
  }

  private checkAllIncluded(): void {
    const skipped = this.tunnels.closed.map(({ node }) => node.address);
    if (skipped.length === 0) return;
    const hosts = skipped.join(',');
    throw new RunFailure(`Provisioning incomplete, host(s) [${hosts}] skipped because they could not be contacted`);
  }

  private withRole(role: RkeNode['roles'][number]): readonly OpenHost[] {
    return this.tunnels.open.filter(({ node }) => node.roles.includes(role));
  }

  private async stage(): Promise<void> {
    const { stageMs } = this.clusters.latency();
    if (stageMs > 0) await delay(stageMs);
  }
}

/** A host that is no node yet. */
function isNew({ scope }: RunningCluster, { node, machine }: OpenHost, before: ClusterRecord | undefined): boolean {
  const isKnown = before?.members.some(({ machineId }) => machineId === machine.id) ?? false;
  return !isKnown || !hasNode(scope, node.hostname);
}
