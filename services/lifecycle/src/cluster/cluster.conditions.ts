import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  factOf,
  findCondition,
  isExisting,
  mergeConditions,
  type Condition,
  type ConditionFact,
  type DeletionStatus,
} from '@crate/api';
import { errorCode, hasCode } from '@crate/errors';
import { isPolicyUnavailable, POLICY_COMPLIANT, policyCompliance, policyComplianceUnknown } from '@crate/messaging';
import { deletingFact, type Pass } from '@crate/reconcile';
import { classConditions } from './cluster.class.js';
import { driftFact, neverCompared } from './cluster.drift.js';
import { addOnAtHand, leavingAddOns } from './cluster.add-on-news.js';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow, readyMessage, WAITING_FOR_INFRASTRUCTURE, wasReady } from './phases/child.js';

/** A fact of this pass, or the condition of an earlier one when this pass did not come to look. */
type Statement = ConditionFact | Condition;

export interface ConditionsContext {
  /** Message of what went wrong, if anything did. */
  readonly failure: string | undefined;
  readonly deletion: DeletionStatus | undefined;
  readonly now: Date;
  readonly warnAfterMs: number;
}

/** Every condition of a cluster after a pass. */
export function clusterConditions(scope: ClusterScope, pass: Pass, context: ConditionsContext): readonly Condition[] {
  const { metadata, status } = scope.cluster;
  const { now } = context;
  const statements = [...summary(scope, pass, context), ...journey(scope, pass), ...classConditions(scope)];
  const merged = mergeConditions(status?.conditions, statements, { generation: metadata.generation, now });
  // What nobody looked at anew is still about the generation that it was about.
  return merged.map((condition, index) => {
    const statement = statements[index] as Statement;
    return 'lastTransitionTime' in statement ? statement : condition;
  });
}

/**
 * The condition Ready as it was, where nothing speaks against it: a part of the platform did not answer, such as one that starts (ADR 0365), or
 * what was stated anew of the infrastructure, without anything else being asked for, has not been looked at yet. Undefined where the pass says more.
 */
export function knownReady(scope: ClusterScope, pass: Pass): Condition | undefined {
  const known = ofThisGeneration(scope, 'Ready');
  return known?.status === 'True' && (isUnanswered(pass) || isUnseen(scope, pass)) ? known : undefined;
}

/** The verdict as it was, where nobody could be asked for another on the same document. ADR 0391 */
function knownVerdict(scope: ClusterScope, pass: Pass): Condition | undefined {
  const known = ofThisGeneration(scope, POLICY_COMPLIANT);
  const isVerdict = known !== undefined && known.status !== 'Unknown';
  return isVerdict && (scope.review?.unanswered || isUnanswered(pass)) ? known : undefined;
}

function ofThisGeneration(scope: ClusterScope, type: string): Condition | undefined {
  const known = before(scope, type);
  return known?.observedGeneration === scope.cluster.metadata.generation ? known : undefined;
}

/** A part of the platform did not answer. */
function isUnanswered(pass: Pass): boolean {
  return !pass.ok && hasCode(pass.error, 'Unavailable', 'Timeout');
}

/** What is waited for is that the infrastructure is looked at again, as after an approved plan that ended: so far it is as it should be. */
function isUnseen({ infrastructure }: ClusterScope, pass: Pass): boolean {
  const isWaiting = pass.ok && pass.outcome.kind === 'waiting' && pass.outcome.reason === WAITING_FOR_INFRASTRUCTURE;
  return isWaiting && infrastructure !== undefined && wasReady(infrastructure);
}

function summary(scope: ClusterScope, pass: Pass, context: ConditionsContext): Statement[] {
  const { failure, deletion } = context;
  const { spec, metadata } = scope.cluster;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  return [
    isDeleting ? conditionFalse('Ready', 'Deleting', leavingText(scope)) : ready(scope, pass, failure),
    synced(scope, pass, failure),
    spec.paused ? conditionTrue('Paused', 'Paused', PAUSED) : conditionFalse('Paused', 'NotPaused', ''),
    deletingFact(scope.cluster, deletion, leavingText(scope), context),
  ];
}

/** Surfaces when the spec breaks no rule, and something that was made of it does. */
const PART_DENIED = 'PartDenied';

/** Surfaces on clusters that were there before Crate, for what it does not make. */
const MADE_OUTSIDE = 'MadeOutside';

const PAUSED = 'Nothing is begun until spec.paused is set back';

function ready(scope: ClusterScope, pass: Pass, failure: string | undefined): Statement {
  const { spec } = scope.cluster;
  if (spec.paused)
    return before(scope, 'Ready') ?? conditionFalse('Ready', 'Paused', 'Paused before it was ever ready');
  if (!pass.ok) {
    return knownReady(scope, pass) ?? conditionFalse('Ready', 'ReconcileError', failure ?? 'The last pass failed');
  }
  if (pass.outcome.kind === 'waiting') {
    const underWay = failure ?? 'Work is under way, see status.progress';
    return knownReady(scope, pass) ?? conditionFalse('Ready', pass.outcome.reason, underWay);
  }
  return conditionTrue('Ready', 'Ready');
}

function synced(scope: ClusterScope, pass: Pass, failure: string | undefined): Statement {
  const { spec, metadata } = scope.cluster;
  if (spec.paused && metadata.deletionTimestamp === undefined) return conditionFalse('Synced', 'Paused', PAUSED);
  if (pass.ok) return conditionTrue('Synced', 'ReconcileSuccess');
  return conditionFalse('Synced', 'ReconcileError', failure ?? 'The last pass failed');
}

function journey(scope: ClusterScope, pass: Pass): Statement[] {
  return [
    compliant(scope, pass),
    infrastructureReady(scope, pass),
    kubernetesCondition(scope, 'ControlPlaneReady'),
    kubernetesCondition(scope, 'NodesReady'),
    addOnsReady(scope),
    inSync(scope),
  ];
}

function inSync(scope: ClusterScope): Statement {
  if (isExisting(scope.cluster)) return conditionTrue('InSync', MADE_OUTSIDE, 'Crate has nothing in a cloud for it');
  return driftFact(scope.infrastructure) ?? before(scope, 'InSync') ?? neverCompared();
}

function compliant(scope: ClusterScope, pass: Pass): Statement {
  const { review } = scope;
  const known = before(scope, POLICY_COMPLIANT);
  if (review && !review.allowed) return policyCompliance(review);
  if (review && !review.unanswered) return partBreach(scope) ?? policyCompliance(review);
  const verdict = knownVerdict(scope, pass);
  if (verdict) return verdict;
  if (review) return partBreach(scope) ?? policyCompliance(review);
  if (pass.ok) return known ?? conditionUnknown(POLICY_COMPLIANT, 'NotReviewed', 'Not judged yet');
  if (isPolicyUnavailable(pass.error)) return policyComplianceUnknown();
  const code = errorCode(pass.error);
  const message = `The last pass did not come to judge it (${code}); nothing is created without a verdict`;
  return conditionUnknown(POLICY_COMPLIANT, 'NotReviewed', message);
}

/** A part of the cluster breaks a rule, though its spec does not: such as what Terraform made of it. */
function partBreach(scope: ClusterScope): Statement | undefined {
  const { infrastructure, kubernetes, installations = [] } = scope;
  const known = before(scope, POLICY_COMPLIANT);
  // A pass that stops earlier has not looked at all parts.
  const isAllSeen = infrastructure !== undefined || (isExisting(scope.cluster) && kubernetes !== undefined);
  if (!isAllSeen) return known?.reason === PART_DENIED ? known : undefined;
  const parts = [infrastructure, kubernetes, ...installations].filter((part) => part !== undefined);
  const part = parts.find(({ status }) => findCondition(status?.conditions, POLICY_COMPLIANT)?.status === 'False');
  const told = part && findCondition(part.status?.conditions, POLICY_COMPLIANT);
  if (!told) return undefined;
  const message = conditionMessage(`${part.kind} "${part.metadata.name}": ${told.message}`);
  return conditionFalse(POLICY_COMPLIANT, PART_DENIED, message);
}

function infrastructureReady(scope: ClusterScope, pass: Pass): Statement {
  const { infrastructure } = scope;
  const type = 'InfrastructureReady';
  if (isExisting(scope.cluster)) return conditionTrue(type, MADE_OUTSIDE, 'Its machines are made and kept by others');
  if (!infrastructure) return before(scope, type) ?? notStarted(type);
  const isReady = isReadyNow(infrastructure) || (isUnseen(scope, pass) && knownReady(scope, pass));
  if (isReady) return conditionTrue(type, 'Ready');
  const underWay = infrastructure.metadata.deletionTimestamp === undefined ? 'Provisioning' : 'Deleting';
  return conditionFalse(type, infrastructure.status?.failure?.code ?? underWay, readyMessage(infrastructure));
}

function kubernetesCondition(scope: ClusterScope, type: string): Statement {
  const { kubernetes } = scope;
  if (scope.isKubernetesGone) return removed(scope, type);
  if (!kubernetes) return before(scope, type) ?? notStarted(type);
  const found = findCondition(kubernetes.status?.conditions, type);
  return found ? factOf(found) : notStarted(type);
}

function addOnsReady(scope: ClusterScope): Statement {
  const { addOns, installations = [] } = scope;
  const type = 'AddOnsReady';
  if (scope.isKubernetesGone) return removed(scope, type);
  if (!addOns) return before(scope, type) ?? notStarted(type);
  const ready = new Set(installations.filter(isReadyNow).map(({ spec }) => spec.addOn));
  const missing = addOns.map(({ metadata }) => metadata.name).filter((name) => !ready.has(name));
  if (missing.length === 0) {
    const isGoing = leavingAddOns(installations).length > 0;
    return isGoing
      ? conditionFalse(type, 'WaitingForAddOnRemoval', addOnAtHand(scope) ?? '')
      : conditionTrue(type, 'Ready');
  }
  return conditionFalse(type, 'WaitingForAddOns', addOnAtHand(scope) ?? conditionMessage(missing.join(', ')));
}

function before({ cluster }: ClusterScope, type: string): Condition | undefined {
  return findCondition(cluster.status?.conditions, type);
}

/** Kubernetes was taken off, and what ran there with it; of what never was there is nothing to say. */
function removed(scope: ClusterScope, type: string): Statement {
  const known = before(scope, type);
  if (known?.reason === 'NotStarted') return known;
  return conditionFalse(type, 'Removed', 'Kubernetes was taken off its machines');
}

function notStarted(type: string): ConditionFact {
  return conditionFalse(type, 'NotStarted', 'Not started yet');
}

function leavingText({ blockers = [] }: ClusterScope): string {
  return blockers.length > 0 ? `Waiting for ${blockers.join(', ')}` : 'Being deleted';
}
