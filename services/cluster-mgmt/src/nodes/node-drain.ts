import { conditionMessage } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';
import { settled, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { Logger } from '@crate/telemetry';
import { engineProgress } from '../kubernetes-cluster/kubernetes-cluster.progress.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster/kubernetes-cluster.scope.js';
import type { SharedClock } from '../shared-clock.js';
import type { ClusterConnections } from '../target/cluster-connections.js';
import { ContactClock } from '../target/contact-clock.js';
import { isAnswer, isSilence } from './attempt.js';
import { drainNodes, type DrainingNode } from './drain-nodes.js';
import { SILENCE_MS } from './node-silence.js';
import { Patience } from './patience.js';

const LOOK_AGAIN_MS = 3000;
/** As long as the engine gives a node that it upgrades. */
const GRACE_MS = 300_000;
/** Pods named in a message. */
const MOST_NAMED = 3;

export interface NodeDrainParts {
  readonly connections: Pick<ClusterConnections, 'find'>;
  /** How long a cluster may be silent before nothing of it is waited for. */
  readonly contactGraceMs: number;
  readonly logger: Logger;
  readonly sharedClock: SharedClock;
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number;
}

/** Empties nodes before the engine takes them away, which it does with all that runs on them. */
export class NodeDrain {
  private readonly patience = new Patience();
  /** Of its own: what others miss between two drains is no silence that this one has waited for. */
  private readonly clock: ContactClock;

  constructor(private readonly parts: NodeDrainParts) {
    this.clock = new ContactClock(parts.contactGraceMs, parts.now);
  }

  /** Waits while pods of these nodes may still go in peace. A cluster that stays silent is not waited for: the engine may be what mends it. */
  readonly run = async (
    scope: KubernetesClusterScope,
    names: readonly string[],
    context: ReconcileContext,
  ): Promise<Outcome> => {
    const target = await this.parts.connections.find(scope.cluster.metadata.uid);
    const message = target && (await this.look(scope, { target, names }, context.remoteSignal));
    if (message === undefined) return settled;
    scope.progress = engineProgress('up', { step: 0, message });
    // Lifecycle passes the message of this reason on.
    return waiting('WaitingForNodesToLeave', LOOK_AGAIN_MS);
  };

  /** What is waited for; undefined when nothing is. */
  private async look(
    scope: KubernetesClusterScope,
    { target, names }: { readonly target: TargetCluster; readonly names: readonly string[] },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { metadata, spec } = scope.cluster;
    // What one replica has cordoned another one goes on with.
    const now = await this.parts.sharedClock();
    const askedAt = this.patience.since(metadata, now());
    const wish = { leaving: names, wanted: spec.nodes.map(({ name }) => name) };
    const options = { now, askedAt, graceMs: GRACE_MS, silenceMs: SILENCE_MS };
    try {
      const draining = await drainNodes(target, wish, options, signal);
      this.clock.heard(metadata.uid);
      scope.silentSince = undefined;
      return draining.length === 0 ? undefined : tell(draining);
    } catch (error) {
      if (signal.aborted) throw error;
      const trouble = this.judge(error, scope, now().getTime() - askedAt.getTime() >= GRACE_MS);
      return trouble === undefined ? undefined : conditionMessage(`Draining ${names.join(', ')}: ${trouble}`);
    }
  }

  /** Why nothing can be said of any node; undefined once that is not waited for any more. */
  private judge(error: unknown, scope: KubernetesClusterScope, isOver: boolean): string | undefined {
    this.parts.logger.warn('Draining nodes failed', { error });
    const { uid } = scope.cluster.metadata;
    if (isSilence(error)) return this.clock.missed(uid) ? undefined : 'the API server does not answer';
    this.clock.heard(uid);
    if (isAnswer(error)) scope.silentSince = undefined;
    return isOver ? undefined : toPlatformError(error).message;
  }
}

/** One line, however many nodes leave and whatever a cluster says of its pods. */
function tell([first, ...others]: readonly DrainingNode[]): string {
  const rest = others.length > 0 ? `; ${others.length} more to be drained` : '';
  return first ? conditionMessage(`${tellNode(first)}${rest}`) : '';
}

function tellNode({ name, pods, refusal }: DrainingNode): string {
  if (refusal !== undefined) return `Draining ${name}: the cluster refuses it: ${refusal}`;
  const kept = pods.filter((pod) => pod.kept !== undefined);
  const [first] = kept;
  if (!first) return `Draining ${name}: pods have not ended: ${list(pods)}`;
  return `Draining ${name}: pods may not go yet: ${list(kept)} (${first.kept})`;
}

function list(pods: DrainingNode['pods']): string {
  const names = pods.map(({ name }) => name).sort();
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
