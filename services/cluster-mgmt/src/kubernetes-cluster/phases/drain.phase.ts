import { deletionForcedOf, KUBERNETES_CLUSTER, type Blocker, type KubernetesCluster } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import { isConnectionDown, type TargetCluster } from '@crate/kubernetes';
import {
  blockedForMs,
  datedBlockers,
  settled,
  waiting,
  type EventRecorder,
  type FoundBlocker,
  type Outcome,
  type ReconcileContext,
} from '@crate/reconcile';
import { isKeyMissing } from '@crate/secrets';
import type { Logger } from '@crate/telemetry';
import { drainCluster } from '../../drain/drain-cluster.js';
import type { ClusterEngine } from '../../engine/cluster-engine.js';
import { isAnswer } from '../../nodes/attempt.js';
import type { SharedClock } from '../../shared-clock.js';
import type { ClusterConnections } from '../../target/cluster-connections.js';
import { LEFT_TO_THE_CLOUD } from '../kubernetes-cluster.events.js';
import { engineProgress } from '../kubernetes-cluster.progress.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

const LOOK_AGAIN_MS = 2000;
const UNREACHABLE_AGAIN_MS = 5000;
const DRAINING = 'Removing load balancers and volumes';

export interface DrainPhaseParts {
  readonly engine: Pick<ClusterEngine, 'observe'>;
  readonly connections: Pick<ClusterConnections, 'find'>;
  readonly logger: Logger;
  /** How long something may stay before it is left to whoever removes it at the provider. */
  readonly patienceMs: number;
  readonly events?: EventRecorder;
  readonly sharedClock: SharedClock;
}

/**
 * Has the cluster itself take away its load balancers and volumes, while it can. What it does not take away in time is left to
 * cloud-mgmt, which finds it at the provider by the cluster's tag.
 */
export class DrainPhase {
  constructor(private readonly parts: DrainPhaseParts) {}

  readonly run = async (scope: KubernetesClusterScope, context: ReconcileContext): Promise<Outcome> => {
    const { uid } = scope.cluster.metadata;
    const { wasStarted, isRemoving } = await this.parts.engine.observe(uid);
    // Once the engine has begun to take Kubernetes away, nobody answers any more.
    if (!wasStarted || isRemoving) return settled;
    const left = await this.drain(scope, context);
    scope.leftToTheCloud = [];
    return left.length === 0 ? settled : this.judge(scope, left, context);
  };

  private async drain(scope: KubernetesClusterScope, context: ReconcileContext): Promise<readonly FoundBlocker[]> {
    try {
      const target = await this.parts.connections.find(scope.cluster.metadata.uid);
      return target ? await this.drainAt(target, scope, context) : [];
    } catch (error) {
      // The way in cannot be read: as if nobody answered.
      if (!isKeyMissing(error)) throw error;
      return [this.noteTrouble(scope, error)];
    }
  }

  private async drainAt(
    target: TargetCluster,
    scope: KubernetesClusterScope,
    context: ReconcileContext,
  ): Promise<readonly FoundBlocker[]> {
    try {
      const { left, kept, refusal } = await drainCluster(target, context.remoteSignal);
      scope.silentSince = undefined;
      scope.keptVolumes = kept;
      return refusal === undefined ? left : [...left, this.noteTrouble(scope, refusal)];
    } catch (error) {
      if (context.remoteSignal.aborted) throw error;
      if (isAnswer(error)) scope.silentSince = undefined;
      return [this.noteTrouble(scope, error)];
    }
  }

  private noteTrouble(scope: KubernetesClusterScope, error: unknown): FoundBlocker {
    this.parts.logger.warn('Draining a cluster failed', { error });
    return silence(scope, error);
  }

  private async judge(
    scope: KubernetesClusterScope,
    left: readonly FoundBlocker[],
    context: ReconcileContext,
  ): Promise<Outcome> {
    const { cluster } = scope;
    if (deletionForcedOf(cluster)) {
      scope.abandoned = left.map(({ kind, name }) => ({ kind, name }));
      return settled;
    }
    const now = (await this.parts.sharedClock())();
    const dated = datedSinceFirstSeen(left, cluster, now);
    if (blockedForMs(dated, now) >= this.parts.patienceMs) {
      // With their dates, or they would be waited for anew when the engine has to wait.
      scope.leftToTheCloud = dated.map(({ kind, name, since }) => ({ kind, name, since }));
      const isNews = cluster.status?.leftToTheCloud === undefined;
      if (isNews) this.parts.events?.record(cluster, { ...LEFT_TO_THE_CLOUD, traceId: context.traceId });
      return settled;
    }
    scope.blockers = dated;
    scope.progress = engineProgress('remove', { step: 0, message: DRAINING });
    const isSilent = left.some(({ kind }) => kind === KUBERNETES_CLUSTER.kind);
    return waiting('WaitingForCloudObjects', isSilent ? UNREACHABLE_AGAIN_MS : LOOK_AGAIN_MS);
  }
}

/** Also what was waited for no longer keeps its date. */
function datedSinceFirstSeen(left: readonly FoundBlocker[], { status }: KubernetesCluster, now: Date): Blocker[] {
  return datedBlockers(left, [...(status?.deletion?.blockers ?? []), ...(status?.leftToTheCloud ?? [])], now);
}

/** Nobody answers, or answers so that nothing can be done. The words do not change from try to try. */
function silence({ cluster }: KubernetesClusterScope, error: unknown): FoundBlocker {
  const { code, details, message } = toPlatformError(error);
  const isDown = isConnectionDown(error);
  return {
    kind: KUBERNETES_CLUSTER.kind,
    name: cluster.metadata.name,
    reason: isDown ? 'ConnectionDown' : (details.reason ?? code),
    message: isDown ? 'The API server does not answer' : message,
    remedy:
      'Make the API server reachable again, or wait: load balancers are then removed at the provider, and volumes wait to be decided about',
  };
}
