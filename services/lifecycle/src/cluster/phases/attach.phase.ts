import { findCondition, type KubernetesCluster } from '@crate/api';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { ensureChild } from '../cluster.known-child.js';
import { kubernetesSpec } from '../cluster.kubernetes.js';
import type { ClusterScope } from '../cluster.scope.js';
import { CHILD_POLL_MS, isReadyNow } from './child.js';

/** Has cluster-mgmt look after a cluster that was there before Crate. */
export class AttachPhase {
  constructor(private readonly kubernetesClusters: TypedClient<KubernetesCluster>) {}

  /** Waits until its API answers. */
  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const { cluster } = scope;
    scope.kubernetes = await ensureChild(this.kubernetesClusters, scope, {
      name: cluster.metadata.name,
      spec: kubernetesSpec(cluster),
    });
    return isReadyNow(scope.kubernetes) ? settled : waiting('WaitingForKubernetes', CHILD_POLL_MS);
  };

  /** Comes after add-ons: nodes are the business of others, and one of many that is down must not keep add-ons away. */
  readonly awaitNodes = ({ kubernetes }: ClusterScope): Promise<Outcome> => {
    const nodes = findCondition(kubernetes?.status?.conditions, 'NodesReady');
    return Promise.resolve(nodes?.status === 'True' ? settled : waiting('WaitingForNodes', CHILD_POLL_MS));
  };
}
