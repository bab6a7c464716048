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
  withoutUndefined,
  type AddOnInstallationStatus,
  type ConditionFact,
  type Failure,
} from '@crate/api';
import {
  blockersText,
  deletingFact,
  deletionStatusOf,
  failedFact,
  failureBlocker,
  failureInRetry,
  failureOf,
  nameSome,
  type Pass,
  type ShownFailure,
  type StatusContext,
} from '@crate/reconcile';
import { complianceFact } from '../policy/compliance.js';
import type { AddOnInstallationScope } from './add-on-installation.scope.js';

/** What a person reads about the installation after a pass. Pure: facts in, status out. */
export function addOnInstallationStatus(
  scope: AddOnInstallationScope,
  pass: Pass,
  context: StatusContext,
): AddOnInstallationStatus {
  const { metadata, spec, status: before = {} } = scope.installation;
  const shown = failureOnShow(scope, pass, context);
  const failure = shown?.failure;
  const blockers = [...failureBlocker(scope.installation, failure), ...scope.blockers];
  const deletion = deletionStatusOf(scope.installation, { blockers, abandoned: scope.abandoned ?? [] }, context.now);
  const compliant = complianceFact(scope, pass, before.conditions);
  const facts = [
    ready(scope, pass, failure),
    synced(scope, pass, shown),
    pausedFact(isPaused(scope.installation)),
    inSync(scope),
    compliant,
    deletingFact(scope.installation, deletion, blockersText(scope.blockers), context),
  ];
  const isDone = pass.ok && (scope.isApplied || metadata.deletionTimestamp !== undefined);
  return {
    observedGeneration: isDone ? metadata.generation : (before.observedGeneration ?? 0),
    conditions: mergeConditions(before.conditions, facts, { generation: metadata.generation, now: context.now }),
    inventory: [...scope.inventory],
    ...withoutUndefined({
      version: scope.isApplied ? spec.version : before.version,
      progress: scope.progress,
      failure,
      deletion,
    }),
  };
}

/** A failure stays on show while a pause keeps the same work from being tried again. */
function failureOnShow(
  { installation, isApplied }: AddOnInstallationScope,
  pass: Pass,
  { traceId }: StatusContext,
): ShownFailure | undefined {
  const before = installation.status?.failure;
  if (!pass.ok) return { failure: failureOf(pass.error, { traceId, before }), stage: 'work' };
  return isPaused(installation) && !isApplied ? failureInRetry(installation, 'work') : undefined;
}

function ready(scope: AddOnInstallationScope, pass: Pass, failure: Failure | undefined): ConditionFact {
  if (scope.installation.metadata.deletionTimestamp)
    return conditionFalse('Ready', 'Deleting', blockersText(scope.blockers));
  if (failure) return conditionFalse('Ready', failure.code, failure.message);
  if (!pass.ok || pass.outcome.kind === 'settled') return conditionTrue('Ready', 'Ready');
  const { reason } = pass.outcome;
  if (reason === PAUSED) return conditionFalse('Ready', PAUSED, PART_PAUSED);
  if (reason !== 'ConnectionDown')
    return conditionFalse('Ready', reason, scope.progress?.message ?? 'Work is under way');
  return conditionUnknown('Ready', reason, 'The API server of the cluster does not answer');
}

function synced(scope: AddOnInstallationScope, pass: Pass, shown: ShownFailure | undefined): ConditionFact {
  if (shown) return failedFact(shown);
  if (scope.isApplied || (pass.ok && pass.outcome.kind === 'settled'))
    return conditionTrue('Synced', 'ReconcileSuccess');
  if (isPaused(scope.installation)) return conditionFalse('Synced', PAUSED, PART_PAUSED);
  const { installation } = scope;
  const before = findCondition(installation.status?.conditions, 'Synced');
  // A cluster that is away for a while changes nothing about what was applied to it.
  if (before?.status === 'True' && before.observedGeneration === installation.metadata.generation) {
    return factOf(before);
  }
  return conditionUnknown('Synced', 'InProgress', 'The add-on is not applied yet');
}

function inSync({ drifted, installation }: AddOnInstallationScope): ConditionFact {
  const before = findCondition(installation.status?.conditions, 'InSync');
  if (drifted && drifted.length > 0) {
    return conditionFalse('InSync', 'Drifted', conditionMessage(`Differs: ${nameSome(drifted)}`));
  }
  if (drifted) return conditionTrue('InSync', 'InSync');
  return before ? factOf(before) : conditionUnknown('InSync', 'NotChecked', 'Not compared with the cluster yet');
}
