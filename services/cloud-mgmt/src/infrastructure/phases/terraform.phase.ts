import type { CloudAccount, Infrastructure } from '@crate/api';
import { invariant } from '@crate/errors';
import type { SynthesizedStack } from '@crate/infra-aws';
import type { PolicyReviewer } from '@crate/messaging';
import {
  settled,
  waiting,
  type DeletionWatch,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
} from '@crate/reconcile';
import type { ReleaseSlot, TerraformSlots, TerraformState } from '@crate/terraform';
import { checkReleased } from '../../drift/released-stack.js';
import { checkUnasked, isHeldMeanwhile } from '../../drift/unasked-run.js';
import { beginApproved, checkCeiling, executedPlan } from '../../plan/plan-gate.js';
import { readPlan } from '../../plan/plan-reading.js';
import { planDenied, planReview } from '../../policy/plan-review.js';
import type { StateKeeper } from '../../terraform-run/state-keeper.js';
import type { TerraformExecutor, TerraformTask } from '../../terraform-run/terraform-executor.js';
import type { InfrastructureClouds } from '../infrastructure-cloud.js';
import type { InfrastructureStack } from '../infrastructure-stack.js';
import { reportProgress, type InfrastructureScope } from '../infrastructure.scope.js';
import { isNothingLost } from '../../terraform-run/unbegun-run.js';
import { findLostResources } from '../lost-resources.js';
import { tellingMilestones } from '../milestone-events.js';
import { stoppedMachines } from '../stopped-machines.js';
import { queuedAnew, slotOf } from './terraform-slot.js';

export interface TerraformPhaseParts {
  readonly executor: Pick<TerraformExecutor, 'execute'>;
  readonly states: StateKeeper;
  readonly slots: TerraformSlots;
  readonly clouds: InfrastructureClouds;
  readonly stack: InfrastructureStack;
  readonly policies: PolicyReviewer;
  readonly deletions: DeletionWatch<Infrastructure>;
  /** Looks for a pause and another spec as well: ends the wait for a turn, and not what has begun. */
  readonly turns: DeletionWatch<Infrastructure>;
  readonly events?: EventRecorder;
}

const overtaken = waiting('Overtaken', 0);

/** Brings the cloud to the stack with Terraform, unless it is there already. */
export class TerraformPhase {
  constructor(private readonly parts: TerraformPhaseParts) {}

  readonly run = async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const { account, stack } = scope;
    if (!account || !stack) throw invariant('The stack phase has not run');
    if (scope.isApplied) return settled;
    scope.stored = undefined;
    const release = await this.turn(scope, context);
    if (typeof release !== 'function') return release;
    try {
      return await this.apply(scope, { account, stack }, context);
    } finally {
      release();
    }
  };

  /** No slot where another spec, a pause or a deletion came before its turn, nor for who is too far back in the line. */
  private async turn(scope: InfrastructureScope, context: ReconcileContext): Promise<ReleaseSlot | Outcome> {
    const turn = this.parts.turns.start(scope.infrastructure, context.remoteSignal);
    let release: ReleaseSlot | undefined;
    try {
      release = await slotOf(this.parts.slots, scope, context, { signal: turn.signal });
      if (!release) return queuedAnew;
      // What came before, such as a comparison, may have taken minutes.
      if (!(await turn.look())) return release;
    } catch (error) {
      release?.();
      if (!turn.isRequested()) throw error;
      return overtaken;
    } finally {
      turn.stop();
    }
    release();
    return overtaken;
  }

  private async apply(
    scope: InfrastructureScope,
    work: { readonly account: CloudAccount; readonly stack: SynthesizedStack },
    context: ReconcileContext,
  ): Promise<Outcome> {
    const deletion = this.parts.deletions.start(scope.infrastructure, context.remoteSignal);
    try {
      const state = await this.parts.executor.execute(this.task(scope, work, context, deletion.signal));
      await this.publish(scope, state);
      return settled;
    } catch (error) {
      // No use in finishing what is to be removed: the next pass begins with that.
      if (deletion.isRequested()) return waiting('DeletionRequested', 0);
      if (isHeldMeanwhile(scope, error)) return settled;
      throw error;
    } finally {
      deletion.stop();
    }
  }

  private task(
    scope: InfrastructureScope,
    { account, stack }: { readonly account: CloudAccount; readonly stack: SynthesizedStack },
    context: ReconcileContext,
    signal: AbortSignal,
  ): TerraformTask {
    const { infrastructure } = scope;
    const cloud = this.parts.clouds.of(infrastructure, account);
    const isAsked = scope.mustLook === true || scope.isDoubtful === true;
    return {
      infrastructureUid: infrastructure.metadata.uid,
      owner: infrastructure,
      kind: 'apply',
      generation: infrastructure.metadata.generation,
      document: stack.document,
      epoch: context.epoch,
      signal,
      mustLook: isAsked,
      openRuntime: () => cloud.openRuntime(signal),
      closeRuntime: cloud.closeRuntime,
      checkListing: (past) => cloud.checkListing(past, signal),
      findLost: async (state) => {
        const owned = await cloud.listOwned(signal);
        const leavesSurplus = isAsked || isNothingLost(scope.runs ?? []);
        const found = { infrastructure, account, owned, state, kind: 'apply', isAsked: leavesSurplus } as const;
        const lost = findLostResources(this.parts.stack, found);
        scope.adopted = new Set(lost.adoptions.map(({ to }) => to));
        return lost;
      },
      review: async (plan, note) => {
        const operation = scope.stateSerial === undefined ? 'CREATE' : 'UPDATE';
        const request = planReview(infrastructure, account.spec.provider, plan, { operation, remember: true });
        const review = await this.parts.policies.review(request, context);
        scope.review = review;
        note(review);
        if (!review.allowed) throw planDenied(infrastructure, review.violations);
        await this.checkLimits(scope, account, plan);
      },
      onProgress: (progress) => reportProgress(scope, progress),
      onLock: (lock) => (scope.lock = lock),
      onMilestone: tellingMilestones(infrastructure, 'apply', { events: this.parts.events, traceId: context.traceId }),
    };
  }

  /** The ceiling of the cluster, and the plan that a person approved. */
  private async checkLimits(
    scope: InfrastructureScope,
    account: CloudAccount,
    plan: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { infrastructure } = scope;
    const reading = readPlan(plan, { aliases: this.parts.stack.aliases(infrastructure, account) });
    if (scope.isUnasked && !scope.isReleased) checkUnasked(scope, plan);
    checkCeiling(infrastructure, reading);
    if (scope.isReleased) checkReleased(scope, plan);
    await beginApproved(scope, reading, 'apply');
  }

  private async publish(scope: InfrastructureScope, state: TerraformState | undefined): Promise<void> {
    if (!state) throw invariant('Terraform applied the stack and left no state');
    scope.outputs = this.parts.stack.readOutputs(state.outputs);
    const serial = await this.parts.states.findSerial(scope.infrastructure.metadata.uid);
    if (serial !== undefined) scope.stateSerial = serial;
    scope.isApplied = true;
    scope.isReleased = false;
    scope.stoppedMachines = stoppedMachines(state);
    const executed = executedPlan(scope, new Date());
    if (executed) scope.approvedPlan = executed;
  }
}
