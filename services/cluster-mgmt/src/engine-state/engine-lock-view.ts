import type { KubernetesCluster, StateLock } from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { observeProcessGroup, type GroupState, type ProcessIdentity, type RunLiveness } from '@crate/process';
import type { ReconcileKey } from '@crate/reconcile';
import { stateConflict, type Foundation } from '@crate/service-host';
import type { EngineRun, EngineRunRepository } from '../engine/engine-run.repository.js';
import { KUBERNETES_CLUSTER_RECONCILER } from '../kubernetes-cluster/kubernetes-cluster.reconciler.js';

export interface EngineLockViewParts {
  readonly runs: Pick<EngineRunRepository, 'list'>;
  readonly liveness: Pick<RunLiveness, 'isSilent'>;
  /** Whether a pass of the cluster holds its lease. */
  readonly isWorkedOn: (key: ReconcileKey) => Promise<boolean>;
  readonly observe?: (identity: ProcessIdentity) => Promise<GroupState>;
}

/** Says of the run that works on a cluster with its engine whether it lives. Looks, and ends nothing. */
export class EngineLockView {
  constructor(private readonly parts: EngineLockViewParts) {}

  /** Undefined when there is no open run. */
  async current({ metadata }: KubernetesCluster): Promise<StateLock | undefined> {
    const run = (await this.parts.runs.list(metadata.uid)).find(({ state }) => state === 'running');
    return run && this.of(run, { namespace: metadata.namespace ?? '', name: metadata.name });
  }

  /** As `current`, of a run that was found. */
  async of(run: EngineRun, key: ReconcileKey): Promise<StateLock> {
    const { kind, startedAt, epoch, identity } = run;
    return {
      holder: identity ? `cluster-mgmt@${identity.host}` : 'cluster-mgmt',
      operation: kind,
      since: startedAt.toISOString(),
      state: (await this.isAlive(run, key)) ? 'live' : 'orphaned',
      epoch: String(epoch),
    };
  }

  /** Between two programs there is none: then the lease tells. Those of other hosts are not seen, and may outlive it for a while. */
  private async isAlive(run: EngineRun, key: ReconcileKey): Promise<boolean> {
    const { observe = observeProcessGroup, isWorkedOn, liveness } = this.parts;
    const group = run.identity ? await observe(run.identity) : 'gone';
    if (group === 'alive' || (await isWorkedOn(key))) return true;
    return group === 'elsewhere' && !(await liveness.isSilent(run));
  }
}

/** The locks of clusters whose passes are in this queue. */
export function engineLocks(
  { queue }: Pick<Foundation, 'queue'>,
  parts: Omit<EngineLockViewParts, 'isWorkedOn'>,
): EngineLockView {
  const isWorkedOn = async (key: ReconcileKey): Promise<boolean> =>
    (await queue.position(KUBERNETES_CLUSTER_RECONCILER, key)) === 0;
  return new EngineLockView({ ...parts, isWorkedOn });
}

/** The error that says who is at work. */
export function engineAtWork({ holder, operation, since }: StateLock): PlatformError {
  return stateConflict('StateLocked', `The engine state is locked by ${holder} for ${operation} since ${since}`, {
    remedy: 'Wait until the run is over; the platform takes the lock back by itself when the run has died',
    retry: 'backoff',
  });
}
