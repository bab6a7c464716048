import { settled, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { SecretStore } from '@crate/secrets';
import { SECRET_KINDS } from '../../engine/secret-kinds.js';
import type { InClusterConfig } from '../../target/in-cluster.config.js';
import { IN_CLUSTER, requireInCluster } from '../../target/in-cluster.connection.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

/** Notes that the way into a cluster is that of the pod itself. Of the cluster nothing is changed. */
export class AttachPhase {
  constructor(
    private readonly secrets: SecretStore,
    private readonly config: Pick<InClusterConfig, 'enabled'>,
  ) {}

  /** Throws Unavailable (`InClusterDisabled`) where this service is not told to. */
  readonly run = async (scope: KubernetesClusterScope, { epoch }: ReconcileContext): Promise<Outcome> => {
    requireInCluster(this.config);
    const { uid } = scope.cluster.metadata;
    const known = await this.secrets.versions(uid, SECRET_KINDS.kubeconfig);
    if (known.length === 0) await this.secrets.put(uid, SECRET_KINDS.kubeconfig, Buffer.from(IN_CLUSTER), { epoch });
    scope.isApplied = true;
    return settled;
  };
}
