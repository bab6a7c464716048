import { deletionForcedOf, type CloudAccount, type PolicyReviewResponse } from '@crate/api';
import type { PolicyReviewer } from '@crate/messaging';
import { settled, type EventRecorder, type FoundBlocker, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { OwnedResource } from '@crate/infra-aws';
import { terraformFailureOf, type TerraformFailure, type TerraformSlots, type TerraformState } from '@crate/terraform';
import {
  accountMissing,
  foreignInNetwork,
  LEFT_BEHIND,
  leftBehind,
  notDestroyed,
  stillListed,
} from '../../deletion/cloud-blockers.js';
import type { AccessibleTarget, DeletionTargets } from '../../deletion/deletion-target.js';
import { giveUp, unlessLockedOut, waitOrGiveUp, type NamedResource } from '../../deletion/give-up.js';
import { clusterTagOf } from '../../deletion/leftovers.js';
import { beginApproved } from '../../plan/plan-gate.js';
import { readPlan } from '../../plan/plan-reading.js';
import { planReview } from '../../policy/plan-review.js';
import type { LostResources } from '../../terraform-run/lost-adoption.js';
import type { StateKeeper } from '../../terraform-run/state-keeper.js';
import type { TerraformExecutor, TerraformTask } from '../../terraform-run/terraform-executor.js';
import type { TerraformRunRepository } from '../../terraform-run/terraform-run.repository.js';
import type { InfrastructureCloud } from '../infrastructure-cloud.js';
import { OWNER_TAG, type InfrastructureStack } from '../infrastructure-stack.js';
import { reportProgress, type InfrastructureScope } from '../infrastructure.scope.js';
import { findLostResources, type LostResourcesQuestion } from '../lost-resources.js';
import { tellingMilestones } from '../milestone-events.js';
import { queuedAnew, slotOf } from './terraform-slot.js';

/** More would not fit on a screen. */
const MOST_NAMED = 20;
/** A forced deletion fails so often for them: the next pass removes them first, but has to end in any case. */
const PASSES_FOR_LEFTOVERS = 3;

export interface DestroyPhaseParts {
  readonly targets: DeletionTargets;
  readonly executor: Pick<TerraformExecutor, 'execute' | 'settle'>;
  readonly states: StateKeeper;
  readonly runs: Pick<TerraformRunRepository, 'list' | 'now'>;
  readonly slots: TerraformSlots;
  readonly stack: InfrastructureStack;
  readonly policies: PolicyReviewer;
  readonly events?: EventRecorder;
}

type NetworkQuestion = Pick<FailedDestroy, 'cloud' | 'signal' | 'failure'> & {
  readonly state: TerraformState | undefined;
};

interface FailedDestroy {
  readonly account: CloudAccount;
  readonly cloud: InfrastructureCloud;
  readonly signal: AbortSignal;
  /** Passes that failed before this one. */
  readonly attempts: number;
  readonly failure: TerraformFailure;
  readonly error: unknown;
}

/** Takes every cloud resource away, and goes on until a listing by owner tag is empty. */
export class DestroyPhase {
  constructor(private readonly parts: DestroyPhaseParts) {}

  readonly run = async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const target = await this.parts.targets.of(scope.infrastructure);
    if (target.kind === 'untouched') return settled;
    if (target.kind === 'inaccessible') {
      const left = await this.managed(scope);
      return waitOrGiveUp(scope, { blockers: [accountMissing(scope.infrastructure)], left });
    }
    scope.account = target.account;
    return unlessLockedOut(
      scope,
      context,
      () => this.remove(scope, target, context),
      async () => {
        scope.blockers = [];
        giveUp(scope, await this.managed(scope), target.account);
        return settled;
      },
    );
  };

  private async remove(
    scope: InfrastructureScope,
    { account, cloud }: AccessibleTarget,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const { remoteSignal: signal } = context;
    // Before anything is looked at: what a run still makes, neither the state nor a listing tells of, and the proof would not either.
    await this.parts.executor.settle(scope.infrastructure.metadata.uid, cloud.closeRuntime);
    const isNothingKnown = (await this.managed(scope)).length === 0;
    if (isNothingKnown && deletionForcedOf(scope.infrastructure)) await this.checkListing(scope, cloud, signal);
    const owned = isNothingKnown ? await cloud.listOwned(signal) : [];
    if (scope.isStateLost) {
      giveUp(scope, owned, account);
      return settled;
    }
    if (isNothingKnown && !this.isForTerraform(scope, account, owned)) return ended(scope, account, owned);

    try {
      if (!(await this.destroy(scope, account, cloud, context))) return queuedAnew;
    } catch (error) {
      const failure = signal.aborted ? undefined : terraformFailureOf(error);
      if (!failure) throw error;
      return this.afterFailure(scope, { account, cloud, signal, attempts: context.attempts ?? 0, failure, error });
    }
    return ended(scope, account, await cloud.listOwned(signal));
  }

  /** What is forced ends here, whatever is listed, and nobody looks again: it waits until the listing shows what was made last. */
  private async checkListing(
    { infrastructure }: InfrastructureScope,
    cloud: InfrastructureCloud,
    signal: AbortSignal,
  ): Promise<void> {
    const { runs } = this.parts;
    await cloud.checkListing({ runs: await runs.list(infrastructure.metadata.uid), now: await runs.now() }, signal);
  }

  /** Whether a run could take any of it away: there would be one every few seconds, with nothing to do, for as long as that is listed. */
  private isForTerraform(scope: InfrastructureScope, account: CloudAccount, owned: readonly OwnedResource[]): boolean {
    return owned.length > 0 && this.lost(scope, { account, owned, state: undefined }).adoptions.length > 0;
  }

  /** What the state does not know and Terraform can take away. */
  private lost(
    { infrastructure }: InfrastructureScope,
    known: Pick<LostResourcesQuestion, 'account' | 'owned' | 'state'>,
  ): LostResources {
    return findLostResources(this.parts.stack, { ...known, infrastructure, kind: 'destroy' });
  }

  /** Names what could not be removed; in a forced deletion leaves it behind, together with all that hangs on it. */
  private async afterFailure(
    scope: InfrastructureScope,
    { account, cloud, signal, attempts, failure, error }: FailedDestroy,
  ): Promise<Outcome> {
    const state = await this.parts.states.find(scope.infrastructure.metadata.uid);
    scope.blockers = [
      notDestroyed(failure, state),
      ...(await this.inNetwork(scope, { cloud, signal, failure, state })),
    ];
    const isWorthAnother = attempts < PASSES_FOR_LEFTOVERS && waitsForLeftovers(scope);
    if (!deletionForcedOf(scope.infrastructure) || isWorthAnother) throw error;
    const listed: readonly OwnedResource[] = await cloud.listOwned(signal);
    scope.blockers = [];
    giveUp(scope, listed, account);
    return settled;
  }

  /** What the cluster left and what others have in the network, where that is why it cannot be removed. */
  private async inNetwork(
    { infrastructure }: InfrastructureScope,
    { cloud, signal, failure, state }: NetworkQuestion,
  ): Promise<readonly FoundBlocker[]> {
    const vpcId = state?.resources.find(({ type }) => type === 'aws_vpc')?.id;
    if (failure.code !== 'StillInUse' || vpcId === undefined) return [];
    // Only to say more: what failed is told, whether or not this can be found out.
    const residents = await cloud.listInNetwork(vpcId, signal).catch(() => []);
    const others = residents.filter(({ tags }) => tags[OWNER_TAG] !== infrastructure.metadata.uid);
    const [key, value] = clusterTagOf(infrastructure);
    return others
      .slice(0, MOST_NAMED)
      .map((one) => (one.tags[key] === value ? leftBehind(one) : foreignInNetwork(one, vpcId)));
  }

  /** What the newest stored state knows of. */
  private async managed({ infrastructure, isStateLost }: InfrastructureScope): Promise<readonly NamedResource[]> {
    if (isStateLost) return [];
    const state = await this.parts.states.find(infrastructure.metadata.uid);
    return (state?.resources ?? []).map(({ type, id, address }) => ({ type, id: id ?? address }));
  }

  /** False where it left the line before its turn came. */
  private async destroy(
    scope: InfrastructureScope,
    account: CloudAccount,
    cloud: InfrastructureCloud,
    context: ReconcileContext,
  ): Promise<boolean> {
    const release = await slotOf(this.parts.slots, scope, context);
    if (!release) return false;
    try {
      await this.parts.executor.execute(this.task(scope, account, cloud, context));
      return true;
    } finally {
      release();
    }
  }

  private task(
    scope: InfrastructureScope,
    account: CloudAccount,
    cloud: InfrastructureCloud,
    context: ReconcileContext,
  ): TerraformTask {
    const { infrastructure } = scope;
    const { epoch, traceId, remoteSignal: signal } = context;
    return {
      infrastructureUid: infrastructure.metadata.uid,
      owner: infrastructure,
      kind: 'destroy',
      generation: infrastructure.metadata.generation,
      document: this.parts.stack.synthesize(infrastructure, account).document,
      epoch,
      signal,
      openRuntime: () => cloud.openRuntime(signal),
      closeRuntime: cloud.closeRuntime,
      checkListing: (past) => cloud.checkListing(past, signal),
      findLost: async (state) => this.lost(scope, { account, owned: await cloud.listOwned(signal), state }),
      // Whoever may ask for it may take it away, but no more than was approved, where it was.
      review: async (plan, note) => {
        const verdict = await this.judge(scope, account, plan, context);
        if (verdict) note(verdict);
        const aliases = this.parts.stack.aliases(infrastructure, account);
        return beginApproved(scope, readPlan(plan, { aliases }), 'destroy');
      },
      onProgress: (progress) => reportProgress(scope, progress),
      onLock: (lock) => (scope.lock = lock),
      onMilestone: tellingMilestones(infrastructure, 'destroy', { events: this.parts.events, traceId }),
    };
  }

  /** What rules about deletions say, for the record: they were asked whether it may be when it was asked for, and nothing holds it up now. */
  private async judge(
    scope: InfrastructureScope,
    account: CloudAccount,
    plan: Readonly<Record<string, unknown>>,
    context: ReconcileContext,
  ): Promise<PolicyReviewResponse | undefined> {
    const request = planReview(scope.infrastructure, account.spec.provider, plan, { operation: 'DELETE' });
    try {
      const review = await this.parts.policies.review(request, context);
      if (review.unanswered) return undefined;
      scope.review = review;
      return review;
    } catch (error) {
      if (context.remoteSignal.aborted) throw error;
      return undefined;
    }
  }
}

/** What comes of it when nothing more can be done about what is listed. */
function ended(scope: InfrastructureScope, account: CloudAccount, left: readonly OwnedResource[]): Outcome {
  return left.length === 0 ? settled : waitOrGiveUp(scope, { blockers: left.map(stillListed), left, account });
}

/** Whether something that the cluster left, and that is not given up, is in the network that could not be removed. */
function waitsForLeftovers({ blockers, abandoned }: InfrastructureScope): boolean {
  const given = new Set(abandoned.map(({ name }) => name));
  return blockers.some(({ reason, name }) => reason === LEFT_BEHIND && !given.has(name));
}
