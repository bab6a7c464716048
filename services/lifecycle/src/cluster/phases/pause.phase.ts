import type { Infrastructure } from '@crate/api';
import { hasFinalizer, settled, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { findChild } from '../cluster.children.js';
import { CLUSTER_FINALIZER } from '../cluster.reconciler.js';
import type { ClusterScope } from '../cluster.scope.js';

/**
 * While a cluster is paused nothing is changed, and so nothing is put back: what differs in the cloud is reported only. What the cluster
 * states holds again with the first pass after the pause.
 */
export class PausePhase {
  constructor(private readonly infrastructures: TypedClient<Infrastructure>) {}

  readonly run = async ({ cluster }: ClusterScope): Promise<Outcome> => {
    // The finalizer comes before the first child: without it there is nothing to look for.
    if (!hasFinalizer(cluster, CLUSTER_FINALIZER)) return settled;
    const { name, namespace } = cluster.metadata;
    const found = await findChild(this.infrastructures, cluster, name);
    if (found?.spec.drift.policy !== 'correct') return settled;
    await this.infrastructures.merge(name, namespace, {
      metadata: { uid: found.metadata.uid },
      spec: { drift: { policy: 'observe' } },
    });
    return settled;
  };
}
