import {
  conditionMessage,
  deletionForcedOf,
  findCondition,
  takesAddOns,
  type AddOnInstallation,
  type KubernetesCluster,
} from '@crate/api';
import { toPlatformError } from '@crate/errors';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { isKeyMissing } from '@crate/secrets';
import type { ClusterConnections } from '../../target/cluster-connections.js';
import { isStaying, type AddOnInstallationScope } from '../add-on-installation.scope.js';
import { goesWithCluster } from '../goes-with-cluster.js';
import { areOfTwoClusters } from '../add-ons-of-cluster.js';

/** A cluster that comes to take add-ons wakes its own; this is in case the news was lost. */
const LOOK_AGAIN_MS = 15_000;

/** Finds the cluster and the way into it. */
export class ClusterPhase {
  constructor(
    private readonly clusters: TypedClient<KubernetesCluster>,
    private readonly connections: ClusterConnections,
  ) {}

  /** Waits until the cluster takes add-ons. */
  readonly bringUp = async (scope: AddOnInstallationScope): Promise<Outcome> => {
    const cluster = await this.find(scope.installation);
    const { name } = scope.installation.spec.clusterRef;
    if (!cluster) return this.wait(scope, 'KubernetesClusterNotFound', `KubernetesCluster "${name}" does not exist`);
    if (cluster.metadata.deletionTimestamp) {
      return this.wait(scope, 'KubernetesClusterDeleting', `KubernetesCluster "${name}" is being deleted`);
    }
    scope.cluster = cluster;
    const target = await this.connections.find(cluster.metadata.uid);
    if (!target || !takesAddOns(cluster)) return this.wait(scope, 'WaitingForCluster', waitingFor(cluster));
    scope.target = target;
    return settled;
  };

  /**
   * One that is to go with its cluster waits until that is gone: by then nothing needs it. A cluster that is gone, or never was, leaves `target` unset: there is nothing to take away from it; or, of one whose key is lost, no way
   * to. For one that stays that key is waited for.
   */
  readonly tearDown = async (scope: AddOnInstallationScope): Promise<Outcome> => {
    const cluster = await this.find(scope.installation);
    if (!cluster) return settled;
    scope.cluster = cluster;
    if (goesWithCluster(scope.installation, cluster)) {
      return this.wait(scope, 'WaitingForClusterRemoval', `Goes with KubernetesCluster "${cluster.metadata.name}"`);
    }
    try {
      const target = await this.connections.find(cluster.metadata.uid);
      Object.assign(scope, target ? { target } : {});
    } catch (error) {
      const isForced = deletionForcedOf(scope.installation) !== undefined;
      if (!isKeyMissing(error) || (isStaying(scope) && !isForced)) throw error;
      scope.lostKey = toPlatformError(error);
    }
    return settled;
  };

  private async find(installation: AddOnInstallation): Promise<KubernetesCluster | undefined> {
    const cluster = await this.clusters.find(installation.spec.clusterRef.name, installation.metadata.namespace);
    // Another cluster of the same name, made after ours was deleted, is none of our business.
    return areOfTwoClusters(installation, cluster) ? undefined : cluster;
  }

  private wait(scope: AddOnInstallationScope, reason: string, message: string): Outcome {
    scope.progress = { step: 0, steps: 1, message };
    return waiting(reason, LOOK_AGAIN_MS);
  }
}

function waitingFor(cluster: KubernetesCluster): string {
  const why = whatHolds(cluster);
  return conditionMessage(`Waiting for KubernetesCluster "${cluster.metadata.name}"${why === '' ? '' : `: ${why}`}`);
}

/** An upgrade, or the nodes that are in the way: may be known for months. Empty where neither is. */
function whatHolds({ spec, status }: KubernetesCluster): string {
  const isUpgrade = spec.version !== undefined && status?.version !== undefined && spec.version !== status.version;
  if (isUpgrade) return `it is being upgraded to ${spec.version}`;
  const nodes = findCondition(status?.conditions, 'NodesReady');
  return nodes?.status === 'False' ? nodes.message : '';
}
