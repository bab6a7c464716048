import type { KubeObject } from '@crate/api';
import { hasCode, invariant } from '@crate/errors';
import { checkHealth, isConnectionDown, toTargetNode, type TargetCluster, type TargetNode } from '@crate/kubernetes';
import { settled, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import { listNodes } from '../../nodes/list-nodes.js';
import { tendNodes } from '../../nodes/tend-nodes.js';
import type { LossGuard } from '../../recovery/loss-guard.js';
import type { ClusterConnections } from '../../target/cluster-connections.js';
import type { ContactClock } from '../../target/contact-clock.js';
import type { NodeWatches } from '../../target/node-watches.js';
import { afterEngineProgress } from '../kubernetes-cluster.progress.js';
import { isExistingCluster, keyOf, type KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

const ANSWER_WITHIN_MS = 10_000;
/** The API just came up, or fell silent. */
const API_POLL_MS = 3000;
/** Changes of nodes wake the key; this is in case the watch is down. */
const NODES_POLL_MS = 10_000;

interface Silence {
  readonly reason: string;
  readonly message: string;
}

/** What makes an API server fail changes from try to try; what it comes to does not. */
const NODES_UNKNOWN: Silence = {
  reason: 'ClusterError',
  message: 'The API server answers, and cannot say which nodes there are: is etcd healthy?',
};

/** Looks at the cluster through its own API: is it up, and are all its nodes ready? Changes nothing but what is left of nodes that come and go. */
export class ObservePhase {
  constructor(
    private readonly connections: ClusterConnections,
    private readonly clock: ContactClock,
    private readonly watches: NodeWatches,
    private readonly losses: Pick<LossGuard, 'check'>,
  ) {}

  readonly run = async (scope: KubernetesClusterScope, context: ReconcileContext): Promise<Outcome> => {
    const { uid } = scope.cluster.metadata;
    const target = await this.connections.find(uid);
    if (!target) throw invariant('The engine succeeded and left no kubeconfig');
    const health = await checkHealth(target, ANSWER_WITHIN_MS, context.remoteSignal);
    if (!health.healthy) return this.noteSilence(scope, health);
    const found = await nodesOrSilence(target, context.remoteSignal);
    if ('reason' in found) return this.noteSilence(scope, found);
    this.clock.heard(uid);
    this.watches.ensure(keyOf(scope), uid);
    const tended = await this.tend(scope, target, found, context.remoteSignal);
    const nodes = tended.map(toTargetNode).toSorted((left, right) => left.name.localeCompare(right.name));
    return this.look(scope, { version: health.version, nodes });
  };

  /** Those of an adopted cluster are the business of others. */
  private async tend(
    { cluster }: KubernetesClusterScope,
    target: TargetCluster,
    nodes: readonly KubeObject[],
    signal: AbortSignal,
  ): Promise<readonly KubeObject[]> {
    if (isExistingCluster(cluster)) return nodes;
    const wanted = cluster.spec.nodes.map(({ name }) => name);
    return tendNodes(target, { nodes, wanted, allow: () => this.losses.check(cluster, signal) }, signal);
  }

  private noteSilence(scope: KubernetesClusterScope, { reason, message }: Silence): Outcome {
    const isBeyondGrace = this.clock.missed(scope.cluster.metadata.uid);
    // The cause changes from try to try, which must not change the status each time.
    const stable = reason === 'ConnectionDown' ? 'The API server does not answer' : message;
    scope.contact = { kind: 'silent', reason, message: stable, isBeyondGrace };
    scope.progress = afterEngineProgress('up', 'Waiting for the API server');
    const wasSeen = scope.cluster.status?.version !== undefined;
    return waiting(wasSeen ? reason : 'WaitingForControlPlane', API_POLL_MS);
  }

  private look(
    scope: KubernetesClusterScope,
    { version, nodes }: { readonly version: string; readonly nodes: readonly TargetNode[] },
  ): Outcome {
    scope.contact = { kind: 'up', version, nodes };
    if (isExistingCluster(scope.cluster)) return this.lookAtExisting(scope, nodes);
    const wanted = scope.cluster.spec.nodes.map((node) => node.name);
    const ready = wanted.filter((name) => nodes.some((node) => node.name === name && node.ready));
    scope.progress = afterEngineProgress('up', `${ready.length} of ${wanted.length} nodes are ready`);
    if (ready.length < wanted.length) return waiting('WaitingForNodes', NODES_POLL_MS);
    const leaving = nodes.filter((node) => !wanted.includes(node.name)).map((node) => node.name);
    if (leaving.length === 0) return settled;
    // The engine is done, so nobody takes them away: they were made by a wish that is not on record, or by hand.
    const advice = 'nobody asks for them: scale their node pools up to keep them, or remove them';
    scope.progress = afterEngineProgress('up', `Waiting for nodes to leave: ${leaving.sort().join(', ')}; ${advice}`);
    return waiting('WaitingForNodesToLeave', NODES_POLL_MS);
  }

  /** Its nodes are the business of others: what they are is told, and nothing waits for it. */
  private lookAtExisting(scope: KubernetesClusterScope, nodes: readonly TargetNode[]): Outcome {
    const ready = nodes.filter((node) => node.ready).length;
    scope.progress = afterEngineProgress('up', `${ready} of ${nodes.length} nodes are ready`);
    return settled;
  }
}

/** What is wrong, when the API server fails at it, as one does whose etcd has no majority: it says its version all the same. */
async function nodesOrSilence(target: TargetCluster, signal: AbortSignal): Promise<readonly KubeObject[] | Silence> {
  try {
    return await listNodes(target, signal);
  } catch (error) {
    if (signal.aborted || !hasCode(error, 'Unavailable', 'Timeout', 'TooManyRequests')) throw error;
    return isConnectionDown(error) ? { reason: 'ConnectionDown', message: '' } : NODES_UNKNOWN;
  }
}
