import type { KubernetesCluster } from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { ensureChild } from '../cluster.children.js';
import { kubernetesSpec } from '../cluster.kubernetes.js';
import type { ClusterScope } from '../cluster.scope.js';
import { CHILD_POLL_MS, isReadyNow } from './child.js';

/** Hands the machines to cluster-mgmt and waits until all of them are ready nodes. */
export class KubernetesPhase {
  constructor(private readonly kubernetesClusters: TypedClient<KubernetesCluster>) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const outputs = scope.infrastructure?.status?.outputs;
    if (!outputs) throw invariant('Infrastructure is ready but published no outputs');
    const { cluster, replacedNodes: staying = [] } = scope;
    const spec = kubernetesSpec(cluster, outputs);
    // The version stays as it is until what is replaced has left: one change at a time.
    const passing = { ...spec, version: scope.kubernetes?.spec.version, nodes: [...spec.nodes, ...staying] };
    const stated = staying.length > 0 ? passing : spec;
    scope.kubernetes = await ensureChild(this.kubernetesClusters, scope, cluster.metadata.name, stated);
    if (staying.length === 0 && isReadyNow(scope.kubernetes)) return settled;
    return waiting('WaitingForKubernetes', CHILD_POLL_MS);
  };
}
