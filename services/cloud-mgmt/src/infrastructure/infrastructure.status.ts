import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  factOf,
  findCondition,
  isPaused,
  mergeConditions,
  PART_PAUSED,
  PAUSED,
  pausedFact,
  type ConditionFact,
  type DeletionStatus,
  type Failure,
  type InfrastructureStatus,
} from '@crate/api';
import { kubernetesClusterId } from '@crate/infra-aws';
import { isPolicyUnavailable, POLICY_COMPLIANT, policyCompliance, policyComplianceUnknown } from '@crate/messaging';
import {
  blockersText,
  deletingFact,
  deletionStatusOf,
  failedFact,
  failureBlocker,
  failureInRetry,
  withTrace,
  type Pass,
  type ShownFailure,
  type StatusContext,
} from '@crate/reconcile';
import { driftFacts, publishedDrift } from '../drift/drift-conditions.js';
import { knownPlan } from '../plan/plan-gate.js';
import type { InfrastructureScope } from './infrastructure.scope.js';
import { passFailure } from './pass-failure.js';

/** What a person reads about the Infrastructure after a pass, or in the middle of one. Pure: facts in, status out. */
export function infrastructureStatus(
  scope: InfrastructureScope,
  pass: Pass,
  context: StatusContext,
): InfrastructureStatus {
  const { metadata, status: before } = scope.infrastructure;
  const shown = failureOnShow(scope, pass, context);
  const failure = shown?.failure;
  const deletion = deletionOf(scope, failure, context.now);
  const facts = [
    ready(scope, pass, failure),
    synced(scope, shown),
    pausedFact(isPaused(scope.infrastructure)),
    compliant(scope, pass),
    deletingFact(scope.infrastructure, deletion, deletionText(scope, undefined), context),
    ...driftFacts(scope),
  ];
  return {
    observedGeneration: scope.isApplied ? metadata.generation : (before?.observedGeneration ?? 0),
    conditions: mergeConditions(before?.conditions, facts, { generation: metadata.generation, now: context.now }),
    ...progress(scope, failure),
    ...(failure ? { failure } : {}),
    ...published(scope),
    ...publishedDrift(scope),
    ...(scope.lock ? { lock: scope.lock } : {}),
    ...approved(scope),
    ...(deletion ? { deletion } : {}),
  };
}

/** What made a pass fail is in the way, too, unless the phase that failed has named it. */
function deletionOf(
  { infrastructure, blockers, abandoned }: InfrastructureScope,
  failure: Failure | undefined,
  now: Date,
): DeletionStatus | undefined {
  const failed = blockers.length === 0 ? failureBlocker(infrastructure, failure) : [];
  return deletionStatusOf(infrastructure, { blockers: [...failed, ...blockers], abandoned }, now);
}

/** A failure stays on show while the same work is tried again, until that is past it, and goes when other work is asked for. */
function failureOnShow(scope: InfrastructureScope, pass: Pass, context: StatusContext): ShownFailure | undefined {
  const { infrastructure, stage } = scope;
  const { status: before, spec } = infrastructure;
  if (scope.isApplied && pass.ok) return undefined;
  const cause = pass.ok ? scope.failure : passFailure(pass.error, spec);
  if (!cause) return failureInRetry(infrastructure, stage);
  return { failure: withTrace(cause, { traceId: context.traceId, before: before?.failure }), stage };
}

function ready(scope: InfrastructureScope, pass: Pass, failure: Failure | undefined): ConditionFact {
  if (scope.infrastructure.metadata.deletionTimestamp)
    return conditionFalse('Ready', 'Deleting', deletionText(scope, failure));
  if (failure) return conditionFalse('Ready', failure.code, conditionMessage(failure.message));
  // What is put back was asked for and is there; that somebody changed it is another condition.
  if (scope.isApplied || scope.drift?.isOnlyCorrecting) return conditionTrue('Ready', 'Ready');
  if (isPaused(scope.infrastructure)) return conditionFalse('Ready', PAUSED, PART_PAUSED);
  const reason = pass.ok && pass.outcome.kind === 'waiting' ? pass.outcome.reason : 'Provisioning';
  return conditionFalse('Ready', reason, 'Work is under way, see status.progress');
}

function synced(scope: InfrastructureScope, shown: ShownFailure | undefined): ConditionFact {
  if (shown) return failedFact(shown);
  if (scope.isApplied) return conditionTrue('Synced', 'ReconcileSuccess');
  if (isPaused(scope.infrastructure)) return conditionFalse('Synced', PAUSED, PART_PAUSED);
  return conditionUnknown('Synced', 'InProgress', 'The specification is being applied');
}

function compliant({ compliance, review, infrastructure }: InfrastructureScope, pass: Pass): ConditionFact {
  if (compliance) return compliance;
  if (review) return policyCompliance(review);
  if (!pass.ok && isPolicyUnavailable(pass.error)) return policyComplianceUnknown();
  const before = findCondition(infrastructure.status?.conditions, POLICY_COMPLIANT);
  return before ? factOf(before) : conditionUnknown(POLICY_COMPLIANT, 'NotReviewed', 'There is no plan to judge yet');
}

function progress(
  { progress: current, isApplied, infrastructure }: InfrastructureScope,
  failure: Failure | undefined,
): Pick<InfrastructureStatus, 'progress'> {
  const known = current ?? infrastructure.status?.progress;
  if (!isApplied || failure) return known ? { progress: known } : {};
  const steps = known?.steps ?? 0;
  return { progress: { step: steps, steps, message: 'Ready' } };
}

/** Kept for as long as that plan is what is asked for. */
function approved(scope: InfrastructureScope): Pick<InfrastructureStatus, 'approvedPlan' | 'approvedStack'> {
  const known = knownPlan(scope);
  const begunFor = scope.approvedStack ?? scope.infrastructure.status?.approvedStack;
  return known ? { approvedPlan: known, ...(begunFor ? { approvedStack: begunFor } : {}) } : {};
}

/** What stays true of earlier passes is kept. */
function published(scope: InfrastructureScope): Partial<InfrastructureStatus> {
  const { metadata, spec, status: before } = scope.infrastructure;
  const outputs = scope.outputs ?? before?.outputs;
  const stateSerial = scope.stateSerial ?? before?.stateSerial;
  return {
    cloudId: kubernetesClusterId({ clusterName: spec.clusterName, infrastructureUid: metadata.uid }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(stateSerial === undefined ? {} : { stateSerial }),
    ...appliedStack(scope),
    ...appliedDisks(scope),
  };
}

/** What only the release changes is not applied, though all that is asked for is. */
function appliedStack(scope: InfrastructureScope): Pick<InfrastructureStatus, 'appliedHash' | 'appliedSettings'> {
  const { stack, settingsHash, isApplied, isReleased, infrastructure } = scope;
  const known = { appliedHash: stack?.hash, appliedSettings: settingsHash };
  const { appliedHash, appliedSettings = isApplied ? settingsHash : undefined } =
    isApplied && !isReleased ? known : (infrastructure.status ?? {});
  return {
    ...(appliedHash === undefined ? {} : { appliedHash }),
    ...(appliedSettings === undefined ? {} : { appliedSettings }),
  };
}

/** As an apply in full leaves them; one that was broken off may have made some of them larger than is said here. */
function appliedDisks({
  isApplied,
  infrastructure: { spec, status },
}: InfrastructureScope): Pick<InfrastructureStatus, 'appliedDisks'> {
  const disks = isApplied ? spec.machineGroups.map(({ name, diskGiB }) => ({ name, diskGiB })) : status?.appliedDisks;
  return disks ? { appliedDisks: disks } : {};
}

function deletionText({ blockers }: InfrastructureScope, failure: Failure | undefined): string {
  if (failure) return conditionMessage(failure.message);
  return conditionMessage(blockersText(blockers));
}
