import type { CloudAccount } from '@crate/api';
import { settled, waiting, type EventRecorder, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { TerraformSlots } from '@crate/terraform';
import type { StateKeeper } from '../../terraform-run/state-keeper.js';
import type { TerraformExecutor, TerraformTask } from '../../terraform-run/terraform-executor.js';
import type { TerraformRunRepository } from '../../terraform-run/terraform-run.repository.js';
import type { InfrastructureCloud, InfrastructureClouds } from '../infrastructure-cloud.js';
import type { InfrastructureStack } from '../infrastructure-stack.js';
import { reportProgress, type InfrastructureScope } from '../infrastructure.scope.js';
import { findLostResources } from '../lost-resources.js';
import { tellingMilestones } from '../milestone-events.js';
import { slotProgress } from './slot-progress.js';

/** Listings lag behind, and a person may have to help. */
const LOOK_AGAIN_MS = 10_000;
const MOST_NAMED = 5;

export interface DestroyPhaseParts {
  readonly accounts: TypedClient<CloudAccount>;
  readonly executor: Pick<TerraformExecutor, 'execute'>;
  readonly states: StateKeeper;
  readonly runs: TerraformRunRepository;
  readonly slots: TerraformSlots;
  readonly clouds: InfrastructureClouds;
  readonly stack: InfrastructureStack;
  readonly events?: EventRecorder;
}

/** Takes every cloud resource away, and goes on until a listing by owner tag is empty. */
export class DestroyPhase {
  constructor(private readonly parts: DestroyPhaseParts) {}

  readonly run = async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const { metadata, spec } = scope.infrastructure;
    // Without a run nothing can have been created.
    const isUntouched = (await this.parts.runs.list(metadata.uid)).length === 0;
    const managed = await this.parts.states.countResources(metadata.uid);
    if (isUntouched && managed === 0) return settled;

    const account = await this.parts.accounts.find(spec.accountRef.name, metadata.namespace);
    if (!account)
      return blocked(scope, [`CloudAccount "${spec.accountRef.name}", without which nothing can be removed`]);
    scope.account = account;
    const cloud = this.parts.clouds.of(scope.infrastructure, account);
    if (managed === 0 && (await cloud.listOwned(context.remoteSignal)).length === 0) return settled;

    await this.destroy(scope, account, cloud, context);
    const left = await cloud.listOwned(context.remoteSignal);
    if (left.length === 0) return settled;
    return blocked(scope, nameSome(left.map(({ type, id }) => `${type} ${id}`)));
  };

  private async destroy(
    scope: InfrastructureScope,
    account: CloudAccount,
    cloud: InfrastructureCloud,
    context: ReconcileContext,
  ): Promise<void> {
    const onQueued = (ahead: number): void => reportProgress(scope, slotProgress(ahead));
    const release = await this.parts.slots.acquire({ signal: context.remoteSignal, onQueued });
    try {
      await this.parts.executor.execute(this.task(scope, account, cloud, context));
    } finally {
      release();
    }
  }

  private task(
    scope: InfrastructureScope,
    account: CloudAccount,
    cloud: InfrastructureCloud,
    { epoch, traceId, remoteSignal: signal }: ReconcileContext,
  ): TerraformTask {
    const { infrastructure } = scope;
    return {
      infrastructureUid: infrastructure.metadata.uid,
      kind: 'destroy',
      generation: infrastructure.metadata.generation,
      document: this.parts.stack.synthesize(infrastructure, account).document,
      epoch,
      signal,
      openRuntime: () => cloud.openRuntime(signal),
      closeRuntime: cloud.closeRuntime,
      findLost: async (state) => {
        const owned = await cloud.listOwned(signal);
        return findLostResources(this.parts.stack, { infrastructure, account, owned, state, kind: 'destroy' });
      },
      // Whoever may ask for it may take it away.
      review: () => Promise.resolve(),
      onProgress: (progress) => reportProgress(scope, progress),
      onLock: (lock) => (scope.lock = lock),
      onMilestone: tellingMilestones(infrastructure, 'destroy', { events: this.parts.events, traceId }),
    };
  }
}

function blocked(scope: InfrastructureScope, blockers: readonly string[]): Outcome {
  scope.blockers = blockers;
  return waiting('WaitingForRemoval', LOOK_AGAIN_MS);
}

function nameSome(names: readonly string[]): string[] {
  const sorted = [...names].sort();
  if (sorted.length <= MOST_NAMED) return sorted;
  return [...sorted.slice(0, MOST_NAMED), `${sorted.length - MOST_NAMED} more`];
}
