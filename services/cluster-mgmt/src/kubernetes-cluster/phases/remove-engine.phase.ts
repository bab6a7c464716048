import { deletionForcedOf } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import { settled, type EventRecorder, type Outcome, type ReconcileContext } from '@crate/reconcile';
import { isKeyMissing } from '@crate/secrets';
import type { Logger } from '@crate/telemetry';
import type { ClusterEngine } from '../../engine/cluster-engine.js';
import { isEngineFailure } from '../../engine/engine-failure.js';
import type { EngineSlots } from '../../engine/engine-slots.js';
import { rkeConfig, type RkeConfigOptions } from '../../engine/rke/rke-config.js';
import { REMOVAL_GIVEN_UP } from '../kubernetes-cluster.events.js';
import { engineProgress } from '../kubernetes-cluster.progress.js';
import { keyOf, type KubernetesClusterScope } from '../kubernetes-cluster.scope.js';
import { waitForSlot } from './wait-for-slot.js';

export interface RemoveEngineParts extends RkeConfigOptions {
  readonly engine: ClusterEngine;
  readonly slots: EngineSlots;
  readonly logger: Logger;
  /** How long after the request for deletion machines that do not cooperate are still tried. */
  readonly patienceMs: number;
  readonly events?: EventRecorder;
  readonly now?: () => Date;
}

/** Machines that never let the engine in carry nothing that would have to be taken off. */
const PATIENCE_WITH_STRANGERS_MS = 60_000;

/** Takes Kubernetes off the machines; machines that are gone or broken do not hold the deletion up for ever. */
export class RemoveEnginePhase {
  constructor(private readonly parts: RemoveEngineParts) {}

  readonly run = async (scope: KubernetesClusterScope, context: ReconcileContext): Promise<Outcome> => {
    const { metadata, spec } = scope.cluster;
    const { wasStarted, isRemoved, hasReachedMachines } = await this.parts.engine.observe(metadata.uid);
    const key = JSON.stringify(keyOf(scope));
    if (!wasStarted || isRemoved || spec.nodes.length === 0) {
      this.parts.slots.leave(key);
      return settled;
    }

    const slot = this.parts.slots.request(key);
    // A place in the queue is progress, and nobody's to put out of the way.
    if (!slot.granted) return waitForSlot(scope, 'remove', slot.position);
    try {
      await this.remove(scope, context);
      return settled;
    } catch (error) {
      if (context.remoteSignal.aborted) throw toPlatformError(context.remoteSignal.reason);
      // Without the key of what it needs the engine gets nowhere either.
      const isOfEngine = isEngineFailure(error) || isKeyMissing(error);
      if (!isOfEngine || !this.isPatienceOver(scope, hasReachedMachines)) throw error;
      this.parts.logger.warn('Giving up taking Kubernetes off the machines', { error });
      this.parts.events?.record(scope.cluster, { ...REMOVAL_GIVEN_UP, traceId: context.traceId });
      return settled;
    } finally {
      slot.release();
    }
  };

  private async remove(scope: KubernetesClusterScope, context: ReconcileContext): Promise<void> {
    const { metadata, spec } = scope.cluster;
    await this.parts.engine.settleEarlierRuns(metadata.uid, context.epoch);
    await this.parts.engine.remove({
      clusterUid: metadata.uid,
      config: rkeConfig(spec, { sshUser: this.parts.sshUser }),
      epoch: context.epoch,
      signal: context.remoteSignal,
      onProgress: ({ step, message }) => {
        scope.progress = engineProgress('remove', { step, message });
        scope.report(scope);
      },
    });
  }

  private isPatienceOver({ cluster }: KubernetesClusterScope, hasReachedMachines: boolean): boolean {
    if (deletionForcedOf(cluster)) return true;
    const { patienceMs } = this.parts;
    const requestedAt = Date.parse(cluster.metadata.deletionTimestamp ?? '');
    const now = this.parts.now?.() ?? new Date();
    const waitedMs = now.getTime() - requestedAt;
    return waitedMs >= (hasReachedMachines ? patienceMs : Math.min(patienceMs, PATIENCE_WITH_STRANGERS_MS));
  }
}
