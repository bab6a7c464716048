import { settled, type Outcome } from '@crate/reconcile';
import type { SecretStore } from '@crate/secrets';
import type { ClusterEngine } from '../../engine/cluster-engine.js';
import type { ClusterConnections } from '../../target/cluster-connections.js';
import type { NodeWatches } from '../../target/node-watches.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

/** Wipes everything kept about the cluster: connection, runs, secrets. */
export class ForgetPhase {
  constructor(
    private readonly engine: ClusterEngine,
    private readonly secrets: SecretStore,
    private readonly connections: ClusterConnections,
    private readonly watches: NodeWatches,
  ) {}

  readonly run = async (scope: KubernetesClusterScope): Promise<Outcome> => {
    const { uid } = scope.cluster.metadata;
    this.watches.drop(uid);
    await this.connections.drop(uid);
    // Runs before secrets: while a run is known, an interrupted deletion tries the engine again, which needs the key.
    await this.engine.forget(uid);
    await this.secrets.removeOwner(uid);
    return settled;
  };
}
