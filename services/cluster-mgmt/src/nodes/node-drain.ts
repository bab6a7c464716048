import { conditionMessage } from '@crate/api';
import { hasCode } from '@crate/errors';
import { settled, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { Logger } from '@crate/telemetry';
import { engineProgress } from '../kubernetes-cluster/kubernetes-cluster.progress.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster/kubernetes-cluster.scope.js';
import type { ClusterConnections } from '../target/cluster-connections.js';
import type { ContactClock } from '../target/contact-clock.js';
import { drainNodes, type DrainingNode } from './drain-nodes.js';

const LOOK_AGAIN_MS = 3000;
/** As long as the engine gives a node that it upgrades. */
const GRACE_MS = 300_000;
const SILENCE_MS = 60_000;
/** Pods named in a message. */
const MOST_NAMED = 3;

export interface NodeDrainParts {
  readonly connections: Pick<ClusterConnections, 'find'>;
  readonly clock: Pick<ContactClock, 'heard' | 'missed'>;
  readonly logger: Logger;
  readonly now?: () => Date;
}

/** Empties nodes before the engine takes them away, which it does with all that runs on them. */
export class NodeDrain {
  constructor(private readonly parts: NodeDrainParts) {}

  /** Waits while pods of these nodes may still go in peace. A cluster that stays silent is not waited for: the engine may be what mends it. */
  readonly run = async (
    scope: KubernetesClusterScope,
    names: readonly string[],
    context: ReconcileContext,
  ): Promise<Outcome> => {
    const message = await this.look(scope, names, context);
    if (message === undefined) return settled;
    scope.progress = engineProgress('up', { step: 0, message });
    // Lifecycle passes the message of this reason on.
    return waiting('WaitingForNodesToLeave', LOOK_AGAIN_MS);
  };

  /** What is waited for; undefined when nothing is. */
  private async look(
    { cluster: { metadata } }: KubernetesClusterScope,
    names: readonly string[],
    { remoteSignal: signal }: ReconcileContext,
  ): Promise<string | undefined> {
    const { connections, clock, logger } = this.parts;
    const target = await connections.find(metadata.uid);
    if (!target) return undefined;
    const now = this.parts.now?.() ?? new Date();
    try {
      const draining = await drainNodes(target, names, { now, graceMs: GRACE_MS, silenceMs: SILENCE_MS }, signal);
      clock.heard(metadata.uid);
      return draining.length === 0 ? undefined : tell(draining);
    } catch (error) {
      if (signal.aborted || hasCode(error, 'Conflict')) throw error;
      logger.warn('Draining nodes failed', { error });
      return clock.missed(metadata.uid) ? undefined : `Draining ${names.join(', ')}: the API server does not answer`;
    }
  }
}

/** One line, however many nodes leave and whatever a cluster says of its pods. */
function tell([first, ...others]: readonly DrainingNode[]): string {
  const rest = others.length > 0 ? `; ${others.length} more to be drained` : '';
  return first ? conditionMessage(`${tellNode(first)}${rest}`) : '';
}

function tellNode({ name, pods }: DrainingNode): string {
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
