import type { ClusterNode, Infrastructure, KubernetesCluster, KubernetesClusterSpec } from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { findChild } from '../cluster.children.js';
import { ensureKnownChild } from '../cluster.known-child.js';
import { kubernetesSpec } from '../cluster.kubernetes.js';
import { clusterNodes, desiredNodeNames } from '../cluster.nodes.js';
import type { ClusterScope } from '../cluster.scope.js';
import { replacedNodes } from '../replaced-nodes.js';
import { CHILD_POLL_MS, isReadyNow } from './child.js';

/** Makes sure that machines to come can be worked on, and that those to go are nodes no more. */
export class MachineAccessPhase {
  constructor(
    private readonly kubernetesClusters: TypedClient<KubernetesCluster>,
    private readonly infrastructures: TypedClient<Infrastructure>,
  ) {}

  /** Makes sure cluster-mgmt holds an SSH key for the machines to come. */
  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const { cluster } = scope;
    const found = await findChild(this.kubernetesClusters, cluster, cluster.metadata.name);
    const kubernetes = found ?? (await this.state(scope, undefined, kubernetesSpec(cluster)));
    scope.kubernetes = kubernetes;
    if (!kubernetes.status?.sshPublicKey) return waiting('WaitingForSshKey', CHILD_POLL_MS);
    scope.replacedNodes = replacedNodes(cluster, kubernetes);
    return settled;
  };

  /**
   * Makes sure that nodes the spec no longer asks for have left the cluster before their machines are taken away; one that is asked for again
   * before it has left stays. Where they are all of the workers, those that replace them come first.
   */
  readonly release = async (scope: ClusterScope): Promise<Outcome> => {
    const { kubernetes, replacedNodes = [] } = scope;
    if (!kubernetes) throw invariant('Nodes are released before the cluster is looked up');
    return replacedNodes.length > 0 ? settled : this.releaseNodes(scope, kubernetes);
  };

  private state(
    scope: ClusterScope,
    known: KubernetesCluster | undefined,
    spec: KubernetesClusterSpec,
  ): Promise<KubernetesCluster> {
    return ensureKnownChild(this.kubernetesClusters, scope, known, { name: scope.cluster.metadata.name, spec });
  }

  private async releaseNodes(scope: ClusterScope, kubernetes: KubernetesCluster): Promise<Outcome> {
    const { cluster } = scope;
    const wanted = new Set(desiredNodeNames(cluster));
    const staying = kubernetes.spec.nodes.filter((node) => wanted.has(node.name));
    const shrinks = staying.length < kubernetes.spec.nodes.length;
    // Asked again on every pass: a node set that shrank in an earlier pass may still be on its way out.
    const leaving = (kubernetes.status?.nodes ?? []).filter((node) => !wanted.has(node.name));
    if (!shrinks && leaving.length === 0) return settled;
    const back = await this.takenBack(scope, kubernetes);
    const changes = shrinks || back.length > 0;
    if (!changes && isReadyNow(kubernetes)) return settled;
    if (changes) {
      // The version stays as it is: one change at a time while nodes leave.
      const spec = { ...kubernetes.spec, nodes: [...staying, ...back] };
      scope.kubernetes = await this.state(scope, kubernetes, spec);
    }
    scope.leavingNodes = leaving.map(({ name }) => name).sort();
    return waiting('WaitingForNodesToLeave', CHILD_POLL_MS);
  }

  /** Nodes that were to leave, have not, and are asked for again. Without being stated they would go along with those that leave. */
  private async takenBack(scope: ClusterScope, { spec, status }: KubernetesCluster): Promise<readonly ClusterNode[]> {
    const stated = new Set(spec.nodes.map(({ name }) => name));
    const there = new Set(status?.nodes?.map(({ name }) => name));
    const { cluster } = scope;
    const infrastructure = await findChild(this.infrastructures, cluster, cluster.metadata.name);
    const outputs = infrastructure?.status?.outputs;
    if (!outputs) return [];
    return clusterNodes(cluster, outputs).filter(({ name }) => there.has(name) && !stated.has(name));
  }
}
