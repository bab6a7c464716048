import { setTimeout as delay } from 'node:timers/promises';
import type { TunnelRequest } from '../rke-protocol.js';
import type { SimulatedClusters } from '../simulated-clusters.js';
import { info, RunFailure, warning, type EngineRun, type Run } from './run-events.js';
import { openTunnels, type Tunnels } from './tunnels.js';

/** Takes Kubernetes off hosts; hosts that have none are fine. */
export class RemoveRun implements EngineRun {
  private readonly tunnels: Tunnels;

  constructor(
    private readonly clusters: SimulatedClusters,
    request: TunnelRequest,
  ) {
    this.tunnels = openTunnels(request, clusters.options.machines);
  }

  get machineIds(): readonly string[] {
    return this.tunnels.open.map(({ machine }) => machine.id);
  }

  async *run(): Run {
    const { open, closed } = this.tunnels;
    for (const { node } of [...open, ...closed]) yield info(`[dialer] Setup tunnel for host [${node.address}]`);
    for (const { node, reason } of closed) {
      yield warning(`Failed to set up SSH tunneling for host [${node.address}]: ${reason}`);
    }
    if (open.every(({ node }) => !node.roles.includes('etcd'))) {
      const failed = closed.filter(({ node }) => node.roles.includes('etcd')).map(({ node }) => node.address);
      const which = `failed to connect to the following etcd host(s) [${failed.join(' ')}]`;
      throw new RunFailure(`Cluster must have at least one etcd plane host: ${which}`);
    }
    for (const plane of [
      '[worker] Tearing down Worker Plane..',
      '[controlplane] Tearing down the Controller Plane..',
    ]) {
      yield info(plane);
      await delay(this.clusters.latency().stageMs);
    }
    yield info('[etcd] Tearing down etcd plane..');
    yield* this.clean();
    yield { event: 'finished' };
  }

  private async *clean(): Run {
    for (const { node, machine } of this.tunnels.open) {
      yield info(`[hosts] Cleaning up host [${node.address}]`);
      const cluster = this.clusters.findByMachine(machine.id);
      if (cluster) {
        const members = cluster.record.members.filter(({ machineId }) => machineId !== machine.id);
        // Without etcd there is nothing left that hosts which could not be reached might hold on to.
        if (members.every(({ roles }) => !roles.includes('etcd'))) await this.clusters.remove(cluster);
        else await cluster.save({ ...cluster.record, members });
      }
      yield info(`[hosts] Successfully cleaned up host [${node.address}]`);
    }
  }
}
