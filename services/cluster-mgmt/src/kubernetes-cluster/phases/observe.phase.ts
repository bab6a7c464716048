import { isPaused, type KubeObject } from '@crate/api';
import { hasCode, invariant, toPlatformError } from '@crate/errors';
import { checkHealth, isConnectionDown, toTargetNode, type TargetCluster, type TargetNode } from '@crate/kubernetes';
import { settled, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import { listNodes } from '../../nodes/list-nodes.js';
import { tendNodes } from '../../nodes/tend-nodes.js';
import type { LossGuard } from '../../recovery/loss-guard.js';
import type { SharedClock } from '../../shared-clock.js';
import type { ClusterConnections } from '../../target/cluster-connections.js';
import type { NodeWatches } from '../../target/node-watches.js';
import { afterEngineProgress } from '../kubernetes-cluster.progress.js';
import { isExistingCluster, keyOf, type Contact, type KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

const ANSWER_WITHIN_MS = 10_000;
const LOOK_WITHIN_MS = 2 * ANSWER_WITHIN_MS;
/** The API just came up, or fell silent. */
const API_POLL_MS = 3000;
/** Changes of nodes wake the key; this is in case the watch is down. */
const NODES_POLL_MS = 10_000;

interface Seen {
  readonly version: string;
  readonly nodes: readonly KubeObject[];
}

interface Silence {
  readonly reason: string;
  readonly message: string;
}

/** What makes an API server fail changes from try to try; what it comes to does not. */
const NODES_UNKNOWN: Silence = {
  reason: 'ClusterError',
  message: 'The API server answers, and cannot say which nodes there are: is etcd healthy?',
};

export interface Patience {
  /** How long a silent cluster counts as it was last seen. */
  readonly graceMs: number;
  readonly sharedClock: SharedClock;
}

/** Looks at the cluster through its own API: is it up, and are all its nodes ready? Changes nothing but what is left of nodes that come and go. */
export class ObservePhase {
  constructor(
    private readonly connections: ClusterConnections,
    private readonly patience: Patience,
    private readonly watches: NodeWatches,
    private readonly losses: Pick<LossGuard, 'check'>,
  ) {}

  readonly run = async (scope: KubernetesClusterScope, context: ReconcileContext): Promise<Outcome> => {
    const target = await this.connections.find(scope.cluster.metadata.uid);
    // It may have been paused before it was ever up.
    if (!target && isPaused(scope.cluster)) return settled;
    if (!target) throw invariant('The engine succeeded and left no kubeconfig');
    const found = await this.see(scope, target, context.remoteSignal);
    if ('reason' in found) return this.waitForApi(scope, found);
    const nodes = await this.tend(scope, target, found.nodes, context.remoteSignal);
    return this.judge(scope, { ...found, nodes });
  };

  /**
   * Notes what there is of a cluster that work has failed on, where a way in is known. Changes nothing in it. The engine may be why it is
   * silent for a moment, which is no news within the grace time.
   */
  readonly look = async (scope: KubernetesClusterScope, { remoteSignal }: ReconcileContext): Promise<void> => {
    const target = await this.connections.find(scope.cluster.metadata.uid);
    if (!target) return;
    const signal = AbortSignal.any([remoteSignal, AbortSignal.timeout(LOOK_WITHIN_MS)]);
    const found = await this.see(scope, target, signal);
    signal.throwIfAborted();
    const contact = 'reason' in found ? await this.silent(scope, found) : up(found);
    if (contact.kind === 'up' || contact.isBeyondGrace) scope.contact = contact;
  };

  private async see(
    scope: KubernetesClusterScope,
    target: TargetCluster,
    signal: AbortSignal,
  ): Promise<Seen | Silence> {
    const health = await checkHealth(target, ANSWER_WITHIN_MS, signal);
    if (!health.healthy) return health;
    const nodes = await nodesOrSilence(target, signal);
    if ('reason' in nodes) return nodes;
    scope.silentSince = undefined;
    this.watches.ensure(keyOf(scope), scope.cluster.metadata.uid);
    return { version: health.version, nodes };
  }

  /** Those of an adopted cluster are the business of others, and those of a paused one stay as they are. */
  private async tend(
    { cluster }: KubernetesClusterScope,
    target: TargetCluster,
    nodes: readonly KubeObject[],
    signal: AbortSignal,
  ): Promise<readonly KubeObject[]> {
    if (isExistingCluster(cluster) || isPaused(cluster)) return nodes;
    const wanted = cluster.spec.nodes;
    const allow = (): Promise<void> => this.losses.check(cluster, signal);
    return tendNodes(target, { nodes, wanted, sharedClock: this.patience.sharedClock, allow }, signal);
  }

  private async silent(scope: KubernetesClusterScope, found: Silence): Promise<Contact> {
    const now = (await this.patience.sharedClock())();
    // In the status, since the next look may be that of another replica, and after a run that takes an hour.
    scope.silentSince ??= now.toISOString();
    const isBeyondGrace = now.getTime() - new Date(scope.silentSince).getTime() >= this.patience.graceMs;
    // The cause changes from try to try, which must not change the status each time.
    const stable = found.reason === 'ConnectionDown' ? 'The API server does not answer' : found.message;
    return { kind: 'silent', reason: found.reason, message: stable, isBeyondGrace };
  }

  private async waitForApi(scope: KubernetesClusterScope, found: Silence): Promise<Outcome> {
    scope.contact = await this.silent(scope, found);
    scope.progress = afterEngineProgress('up', 'Waiting for the API server');
    const wasSeen = scope.cluster.status?.version !== undefined;
    return waiting(wasSeen ? found.reason : 'WaitingForControlPlane', API_POLL_MS);
  }

  private judge(scope: KubernetesClusterScope, found: Seen): Outcome {
    scope.contact = up(found);
    const nodes = targetNodes(found.nodes);
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

function up({ version, nodes }: Seen): Contact {
  return { kind: 'up', version, nodes: targetNodes(nodes) };
}

function targetNodes(nodes: readonly KubeObject[]): readonly TargetNode[] {
  return nodes.map(toTargetNode).toSorted((left, right) => left.name.localeCompare(right.name));
}

/** What is wrong, when the API server fails at it, as one does whose etcd has no majority: it says its version all the same. */
async function nodesOrSilence(target: TargetCluster, signal: AbortSignal): Promise<readonly KubeObject[] | Silence> {
  try {
    return await listNodes(target, signal);
  } catch (error) {
    if (signal.aborted || !hasCode(error, 'Unavailable', 'Timeout', 'TooManyRequests')) throw error;
    const { details, message } = toPlatformError(error);
    const { reason = '' } = details;
    return isConnectionDown(error) || reason === 'AnswerTooLarge' ? { reason, message } : NODES_UNKNOWN;
  }
}
