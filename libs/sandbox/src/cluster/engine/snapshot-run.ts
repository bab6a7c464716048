import type { SnapshotRequest } from '../rke-protocol.js';
import type { SimulatedCluster } from '../simulated-cluster.js';
import type { SimulatedClusters } from '../simulated-clusters.js';
import { info, RunFailure, type EngineRun, type Run } from './run-events.js';
import { openTunnels, type Tunnels } from './tunnels.js';

/** Saves a cluster's objects on its etcd hosts, or goes back to what was saved. */
export class SnapshotRun implements EngineRun {
  private readonly tunnels: Tunnels;

  constructor(
    private readonly clusters: SimulatedClusters,
    private readonly request: SnapshotRequest,
    private readonly action: 'save' | 'restore',
  ) {
    this.tunnels = openTunnels(request, clusters.options.machines);
  }

  get machineIds(): readonly string[] {
    return this.tunnels.open.map(({ machine }) => machine.id);
  }

  async *run(): Run {
    const { name } = this.request;
    const { cluster, address } = this.find();
    if (this.action === 'save') {
      yield info(`[etcd] Running snapshot save once on host [${address}]`);
      await cluster.saveSnapshot(name);
    } else {
      yield info(`[etcd] Restoring [${name}] snapshot on etcd host [${address}]`);
      const isRestored = await cluster.restoreSnapshot(name);
      if (!isRestored)
        throw new RunFailure(`[etcd] Failed to restore etcd snapshot: no snapshot [${name}] on host [${address}]`);
    }
    yield { event: 'finished' };
  }

  private find(): { readonly cluster: SimulatedCluster; readonly address: string } {
    for (const { node, machine } of this.tunnels.open) {
      const cluster = node.roles.includes('etcd') && this.clusters.findByMachine(machine.id);
      if (cluster) return { cluster, address: node.address };
    }
    throw new RunFailure('Cluster must have at least one etcd plane host: failed to connect to the etcd hosts');
  }
}
