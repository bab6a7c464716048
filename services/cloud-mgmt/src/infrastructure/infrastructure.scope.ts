import { isDeepStrictEqual } from 'node:util';
import type {
  AbandonedResource,
  ApprovedPlanStatus,
  ApprovedStack,
  CloudAccount,
  ConditionFact,
  Infrastructure,
  InfrastructureOutputs,
  PolicyReviewResponse,
  Progress,
  StateLock,
} from '@crate/api';
import type { SynthesizedStack } from '@crate/infra-aws';
import { settled, type FailureCause, type FoundBlocker, type Outcome, type WorkStage } from '@crate/reconcile';
import type { OpenedSecret } from '@crate/secrets';
import type { DriftScope } from '../drift/drift-scope.js';
import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';

/** What one pass knows of an Infrastructure. Fields are undefined until the phase that sets them has run. */
export interface InfrastructureScope {
  /** As read at the start of the pass. */
  readonly infrastructure: Infrastructure;
  /** `plan` once nothing is in the way of Terraform; `work` once it is let carry out what it has planned, by `beginApproved`. */
  stage: WorkStage;
  /** Account phase; stays undefined in a deletion whose account is gone. */
  account?: CloudAccount;
  /** Stack phase. */
  stack?: SynthesizedStack;
  /**
   * The newest stored state, as the pass found it. State phase, unless it is a deletion; the stack phase takes it away where something is to be
   * applied, the Terraform phase wherever it runs, because a run makes another one.
   */
  stored?: OpenedSecret | undefined;
  /** Runs that change something, newest first, as the pass found them. Stack phase. */
  runs?: readonly TerraformRun[];
  /** What is asked for is applied in full. Stack phase, and Terraform phase once it has done so. */
  isApplied: boolean;
  /** Only the release made the stack another than what was applied: nobody asked for what differs. Stack phase. */
  isReleased?: boolean;
  /** All that people ask for was applied in full once: nobody has asked for what a run would do. Stack phase. */
  isUnasked?: boolean;
  /** It is applied, and a run is to look all the same: a sweep or a stopped machine asks for one, or the last one did not come to its end. Stack phase. */
  isRunDue?: boolean;
  /** Addresses of what the run has taken over, which nobody needs to ask for. Terraform phase. */
  adopted?: ReadonlySet<string>;
  /** Of what was asked for besides the spec: see `InfrastructureStack.settingsHash`. Stack phase. */
  settingsHash?: string;
  /** A sweep has found resources that the state does not know, and no run has looked since. Stack phase. */
  mustLook?: boolean;
  /** The record may know less than the world, as after a restore: nothing is made before a look at what is there. Stack phase. */
  isDoubtful?: boolean;
  /** Machines that are stopped, for people. Stack phase, by the stored state, where a run is to look after them; Terraform phase, as the run has seen it. */
  stoppedMachines?: readonly string[];
  /** Terraform phase, after a successful apply. */
  outputs?: InfrastructureOutputs;
  /** Serial of the newest stored state. Stack phase, renewed by the Terraform phase. */
  stateSerial?: number;
  /** Verdict on the plan. Terraform phase, if there was something to plan. */
  review?: PolicyReviewResponse;
  /** Verdict on what is in the cloud, where there is anything new to say. Standing-plan phase. */
  compliance?: ConditionFact;
  /** The approved plan, once it is begun, and once it was executed. Terraform phase. */
  approvedPlan?: ApprovedPlanStatus;
  /** What it was begun for. Terraform phase. */
  approvedStack?: ApprovedStack;
  /** How far the work has come. Set by every phase that takes its time. */
  progress?: Progress;
  /** Why the pass waits, where that is a failure of something it depends on. */
  failure?: FailureCause;
  /** Who works on the state. State phase, renewed while a run of this pass holds it. */
  lock?: StateLock | undefined;
  /** A person holds it. State phase. */
  isLockedByHand?: boolean;
  /** Nobody can read the state, and the deletion was forced: it goes by what is listed. State phase. */
  isStateLost?: boolean;
  /** What is known of drift, and what is done about it. Drift phase. */
  drift?: DriftScope;
  /** What a deletion waits for. Tear-down phases. */
  blockers: readonly FoundBlocker[];
  /** What a forced deletion leaves behind. Tear-down phases. */
  abandoned: readonly AbandonedResource[];
  /** Publishes the status in the middle of a phase, for work that takes minutes. Never throws. */
  readonly report: () => void;
  /** Stores the status at once: what must be known before an outside call is made. Throws Conflict when this pass was overtaken. */
  readonly persist: () => Promise<void>;
}

/** How a pass publishes what it knows before it ends. */
type ScopeCallbacks = Pick<InfrastructureScope, 'report' | 'persist'>;

export function openScope(
  infrastructure: Infrastructure,
  { report = () => undefined, persist = () => Promise.resolve() }: Partial<ScopeCallbacks> = {},
): InfrastructureScope {
  return { infrastructure, stage: 'check', isApplied: false, blockers: [], abandoned: [], report, persist };
}

/** Comes after all that may be in the way of Terraform: what an earlier pass met there is over. */
export function clearPhase(scope: InfrastructureScope): Promise<Outcome> {
  scope.stage = 'plan';
  return Promise.resolve(settled);
}

/** Sets the progress and publishes it, unless it is what it was. */
export function reportProgress(scope: InfrastructureScope, progress: Progress): void {
  if (isDeepStrictEqual(scope.progress, progress)) return;
  scope.progress = progress;
  scope.report();
}
