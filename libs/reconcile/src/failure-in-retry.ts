import {
  conditionFalse,
  conditionMessage,
  findCondition,
  type Condition,
  type ConditionFact,
  type Failure,
} from '@crate/api';

/** How far a pass has come: it looks whether anything is in the way, finds out what is to be done and has that judged, does it. */
export type WorkStage = 'check' | 'plan' | 'work';

const STAGES: readonly WorkStage[] = ['check', 'plan', 'work'];

/** Reason of the condition `Synced`: surfaces when a pass failed, or waits for what has failed, at that stage. */
const REASONS: Readonly<Record<WorkStage, string>> = {
  check: 'CheckFailed',
  plan: 'PlanFailed',
  work: 'ReconcileError',
};

/** A failure, and the stage that it was met at. */
export interface ShownFailure {
  readonly failure: Failure;
  readonly stage: WorkStage;
}

/** What `failureInRetry` needs to see of an object. */
export interface FailedObject {
  readonly metadata: { readonly generation: number };
  readonly status?:
    { readonly conditions?: readonly Condition[] | undefined; readonly failure?: Failure | undefined } | undefined;
}

/**
 * The last failure while the same work is tried again, by a pass that has come as far as `reached`. Undefined once other work is asked for, and
 * once the pass is past the stage that failed: that is over, whatever becomes of the rest. Pure.
 */
export function failureInRetry({ metadata, status }: FailedObject, reached: WorkStage): ShownFailure | undefined {
  const { conditions, failure } = status ?? {};
  const synced = findCondition(conditions, 'Synced');
  if (!failure || synced?.status !== 'False' || synced.observedGeneration !== metadata.generation) return undefined;
  const stage = STAGES.find((one) => REASONS[one] === synced.reason) ?? 'work';
  return STAGES.indexOf(reached) > STAGES.indexOf(stage) ? undefined : { failure, stage };
}

/** The condition `Synced` of an object with a failure on show; from it `failureInRetry` knows the stage later. */
export function failedFact({ failure, stage }: ShownFailure): ConditionFact {
  return conditionFalse('Synced', REASONS[stage], conditionMessage(failure.message));
}
