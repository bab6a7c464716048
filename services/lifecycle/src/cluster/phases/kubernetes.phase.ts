import { takesAddOns, type KubernetesCluster } from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { ensureKnownChild } from '../cluster.known-child.js';
import { kubernetesSpec } from '../cluster.kubernetes.js';
import type { ClusterScope } from '../cluster.scope.js';
import { CHILD_POLL_MS, isReadyNow } from './child.js';

const WAITING_FOR_KUBERNETES = 'WaitingForKubernetes';

/** Hands the machines to cluster-mgmt and waits until they are a cluster of the version asked for. */
export class KubernetesPhase {
  constructor(private readonly kubernetesClusters: TypedClient<KubernetesCluster>) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const outputs = scope.infrastructure?.status?.outputs;
    if (!outputs) throw invariant('Infrastructure is ready but published no outputs');
    const { cluster, kubernetes, replacedNodes: staying = [] } = scope;
    if (!kubernetes) throw invariant('Machines are handed over before the cluster is looked up');
    const spec = kubernetesSpec(cluster, outputs);
    // The version stays as it is until what is replaced has left: one change at a time.
    const passing = { ...spec, version: kubernetes.spec.version, nodes: [...spec.nodes, ...staying] };
    const stated = staying.length > 0 ? passing : spec;
    const statement = { name: cluster.metadata.name, spec: stated };
    scope.kubernetes = await ensureKnownChild(this.kubernetesClusters, scope, kubernetes, statement);
    const isOfVersion = stated.version === spec.version;
    return isOfVersion && takesAddOns(scope.kubernetes) ? settled : waiting(WAITING_FOR_KUBERNETES, CHILD_POLL_MS);
  };

  /** Waits until all of them are ready nodes. Comes once more after add-ons: one of many that is not must not keep those away. */
  readonly awaitReady = ({ kubernetes, replacedNodes = [] }: ClusterScope): Promise<Outcome> => {
    const isReady = kubernetes !== undefined && replacedNodes.length === 0 && isReadyNow(kubernetes);
    return Promise.resolve(isReady ? settled : waiting(WAITING_FOR_KUBERNETES, CHILD_POLL_MS));
  };
}
