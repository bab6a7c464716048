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

/** Passes that found a connection before there was a newer one go on asking there; those that ask clusters end sooner than this. */
const GRACE_MS = 3 * 60_000;

interface Connection {
  readonly serial: number;
  readonly cluster: TargetCluster;
}

/** Connects with the newest stored kubeconfig, and keeps the connection until a while after there is a newer one. */
export class StoredClusterConnections extends ClusterConnections {
  private readonly connections = new Map<string, Connection>();

  constructor(
    private readonly secrets: SecretStore,
    private readonly connect: (kubeconfig: string) => TargetCluster = (kubeconfig) => new HttpTargetCluster(kubeconfig),
    private readonly graceMs = GRACE_MS,
  ) {
    super();
  }

  override async find(clusterUid: string): Promise<TargetCluster | undefined> {
    // Cheaper than the secret itself, which has to be opened.
    const newest = (await this.secrets.versions(clusterUid, SECRET_KINDS.kubeconfig)).at(-1)?.serial;
    const known = this.connections.get(clusterUid);
    if (known && known.serial === newest) return known.cluster;

    const stored = await this.secrets.find(clusterUid, SECRET_KINDS.kubeconfig);
    if (!stored) return undefined;
    // Somebody else may have connected while the secret was opened.
    const current = this.connections.get(clusterUid);
    if (current && current.serial >= stored.serial) return current.cluster;
    const cluster = this.connect(Buffer.from(stored.plain).toString('utf8'));
    this.connections.set(clusterUid, { serial: stored.serial, cluster });
    if (current) setTimeout(() => closeUnused(current), this.graceMs).unref();
    return cluster;
  }

  override async drop(clusterUid: string): Promise<void> {
    const known = this.connections.get(clusterUid);
    this.connections.delete(clusterUid);
    await known?.cluster.close();
  }

  override async close(): Promise<void> {
    await Promise.all([...this.connections.keys()].map((uid) => this.drop(uid)));
  }
}

/** Nobody uses it any more, and nothing depends on whether it closes. */
function closeUnused({ cluster }: Connection): void {
  void cluster.close().catch(() => undefined);
}
