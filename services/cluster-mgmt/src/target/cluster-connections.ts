import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import type { SecretStore } from '@crate/secrets';
import { SECRET_KINDS } from '../engine/secret-kinds.js';

/** Ways into the clusters that this service looks after. */
export abstract class ClusterConnections {
  /** Undefined while no kubeconfig is stored. The connection is shared: do not close it. */
  abstract find(clusterUid: string): Promise<TargetCluster | undefined>;
  /** Closes the connection, if there is one. Idempotent. */
  abstract drop(clusterUid: string): Promise<void>;
  /** Closes all connections. */
  abstract close(): Promise<void>;
}

export interface ConnectionTimes {
  /** Passes that found a connection before it was replaced go on asking there; those that ask clusters end sooner than this. */
  readonly graceMs: number;
  /** What nobody asked for in this time is of a cluster that is gone, or that another replica looks after. Longer than a watch of nodes. */
  readonly idleMs: number;
}

const TIMES: ConnectionTimes = { graceMs: 3 * 60_000, idleMs: 60 * 60_000 };

interface Connection {
  readonly serial: number;
  readonly cluster: TargetCluster;
  readonly idle: NodeJS.Timeout;
}

/**
 * Connects with the newest stored kubeconfig, and keeps the connection until a while after there is a newer one, or none, or nobody asks any
 * more: credentials of a cluster that another replica forgot are not kept.
 */
export class StoredClusterConnections extends ClusterConnections {
  private readonly connections = new Map<string, Connection>();

  constructor(
    private readonly secrets: SecretStore,
    private readonly connect: (kubeconfig: string) => TargetCluster = (kubeconfig) => new HttpTargetCluster(kubeconfig),
    private readonly times = TIMES,
  ) {
    super();
  }

  override async find(clusterUid: string): Promise<TargetCluster | undefined> {
    // Cheaper than the secret itself, which has to be opened.
    const newest = (await this.secrets.versions(clusterUid, SECRET_KINDS.kubeconfig)).at(-1)?.serial;
    const known = this.connections.get(clusterUid);
    if (known && known.serial === newest) return used(known);

    const stored = await this.secrets.find(clusterUid, SECRET_KINDS.kubeconfig);
    // Somebody else may have connected while the secret was opened.
    const current = this.connections.get(clusterUid);
    if (current && stored && current.serial >= stored.serial) return used(current);
    const replaced = this.takeOut(clusterUid);
    if (replaced) setTimeout(() => closeUnused(replaced), this.times.graceMs).unref();
    return stored && this.open(clusterUid, stored.serial, Buffer.from(stored.plain).toString('utf8'));
  }

  override async drop(clusterUid: string): Promise<void> {
    await this.takeOut(clusterUid)?.cluster.close();
  }

  override async close(): Promise<void> {
    await Promise.all([...this.connections.keys()].map((uid) => this.drop(uid)));
  }

  private open(clusterUid: string, serial: number, kubeconfig: string): TargetCluster {
    const cluster = this.connect(kubeconfig);
    const idle = setTimeout(() => {
      const unused = this.takeOut(clusterUid);
      if (unused) closeUnused(unused);
    }, this.times.idleMs).unref();
    this.connections.set(clusterUid, { serial, cluster, idle });
    return cluster;
  }

  private takeOut(clusterUid: string): Connection | undefined {
    const known = this.connections.get(clusterUid);
    clearTimeout(known?.idle);
    this.connections.delete(clusterUid);
    return known;
  }
}

function used({ cluster, idle }: Connection): TargetCluster {
  idle.refresh();
  return cluster;
}

/** Nobody uses it any more, and nothing depends on whether it closes. */
function closeUnused({ cluster }: Connection): void {
  void cluster.close().catch(() => undefined);
}
