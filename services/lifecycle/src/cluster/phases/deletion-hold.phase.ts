import { isExisting, type Infrastructure, type KubeObject, type KubernetesCluster } from '@crate/api';
import { settled, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { RecoveryHold } from '@crate/service-host';
import { findChild } from '../cluster.children.js';
import type { ClusterScope } from '../cluster.scope.js';

export interface DeletionHoldParts {
  readonly recovery: Pick<RecoveryHold, 'isClosed' | 'deletionPhase'>;
  readonly kubernetesClusters: TypedClient<KubernetesCluster>;
  readonly infrastructures: TypedClient<Infrastructure>;
}

/**
 * Holds the deletion of a cluster while the database is older than the world. One whose parts were all made since may go, however old its
 * document is: it has nothing that anybody could have wished to keep, and stands in the way of one that is to be taken back.
 */
export class DeletionHoldPhase {
  private readonly hold: (part: KubeObject) => Promise<Outcome>;

  constructor(private readonly parts: DeletionHoldParts) {
    this.hold = parts.recovery.deletionPhase((part: KubeObject) => part);
  }

  /** Throws Forbidden (`Recovering`). */
  readonly run = async ({ cluster }: ClusterScope): Promise<Outcome> => {
    const { recovery, kubernetesClusters, infrastructures } = this.parts;
    if (!(await recovery.isClosed())) return settled;
    for (const client of isExisting(cluster) ? [kubernetesClusters] : [kubernetesClusters, infrastructures]) {
      const part = await findChild<KubeObject>(client, cluster, cluster.metadata.name);
      if (part) await this.hold(part);
    }
    return settled;
  };
}
