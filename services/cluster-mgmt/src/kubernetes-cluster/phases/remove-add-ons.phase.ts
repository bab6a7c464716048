import { findCondition, type AddOnInstallation } from '@crate/api';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { addOnsOfCluster } from '../../add-on-installation/add-ons-of-cluster.js';
import { goesWithCluster } from '../../add-on-installation/goes-with-cluster.js';
import { isExistingCluster, type KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

const LOOK_AGAIN_MS = 2000;

/**
 * Lets add-ons that are on their way out finish while the cluster can still be reached. Add-ons that nobody asked to
 * remove, or that it needs to take its volumes away, go down with the cluster; from one that stays, all of them have to be removed.
 */
export class RemoveAddOnsPhase {
  constructor(private readonly installations: TypedClient<AddOnInstallation>) {}

  readonly run = async (scope: KubernetesClusterScope): Promise<Outcome> => {
    const all = await addOnsOfCluster(this.installations, scope.cluster.metadata);
    const isStaying = isExistingCluster(scope.cluster);
    const leaving = all.filter(
      (addOn) =>
        isStaying || (addOn.metadata.deletionTimestamp !== undefined && !goesWithCluster(addOn, scope.cluster)),
    );
    if (leaving.length === 0) return settled;
    scope.blockers = leaving.map(({ kind, metadata, status }) => ({
      kind,
      name: metadata.name,
      reason: 'AddOnLeft',
      message: findCondition(status?.conditions, 'Ready')?.message || 'The add-on is being removed',
    }));
    return waiting('WaitingForAddOnRemoval', LOOK_AGAIN_MS);
  };
}
