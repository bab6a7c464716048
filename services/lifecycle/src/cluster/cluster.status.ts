import {
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  factOf,
  findCondition,
  mergeConditions,
  type ClusterStatus,
  type ConditionFact,
} from '@crate/api';
import { errorCode } from '@crate/errors';
import { failureOf, type Pass } from '@crate/reconcile';
import { childFailure } from './cluster.failure.js';
import { clusterPhases } from './cluster.progress.js';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow, readyMessage } from './phases/child.js';

export interface StatusContext {
  readonly now: Date;
  readonly traceId: string;
}

/** What a person reads about the cluster after a pass. Pure: facts in, status out. */
export function clusterStatus(scope: ClusterScope, pass: Pass, context: StatusContext): ClusterStatus {
  const { metadata, status: before } = scope.cluster;
  const { traceId } = context;
  const failure = pass.ok ? childFailure(scope) : failureOf(pass.error, { traceId, before: before?.failure });
  const phases = clusterPhases(scope, pass);
  const current = phases.find((phase) => phase.state !== 'Done');
  const facts = [...summary(scope, pass, failure?.message), ...journey(scope, pass)];
  return {
    observedGeneration: pass.ok ? metadata.generation : (before?.observedGeneration ?? 0),
    conditions: mergeConditions(before?.conditions, facts, { generation: metadata.generation, now: context.now }),
    progress: {
      step: phases.filter((phase) => phase.state === 'Done').length,
      steps: phases.length,
      message: current ? `${current.name}: ${current.message}` : 'Ready',
    },
    phases,
    ...(failure ? { failure } : {}),
    ...observed(scope),
  };
}

function summary(scope: ClusterScope, pass: Pass, failure: string | undefined): ConditionFact[] {
  const { spec, metadata } = scope.cluster;
  const deleting = metadata.deletionTimestamp !== undefined;
  return [
    ready(scope, pass, failure),
    pass.ok
      ? conditionTrue('Synced', 'ReconcileSuccess')
      : conditionFalse('Synced', 'ReconcileError', failure ?? 'The last pass failed'),
    spec.paused
      ? conditionTrue('Paused', 'Paused', 'Nothing is changed until spec.paused is set back')
      : conditionFalse('Paused', 'NotPaused', ''),
    deleting
      ? conditionTrue('Deleting', 'DeletionRequested', blockersText(scope))
      : conditionFalse('Deleting', 'NotDeleting', ''),
  ];
}

function ready(scope: ClusterScope, pass: Pass, failure: string | undefined): ConditionFact {
  const { spec, metadata, status } = scope.cluster;
  if (metadata.deletionTimestamp) return conditionFalse('Ready', 'Deleting', blockersText(scope));
  if (spec.paused) {
    const before = status?.conditions?.find((condition) => condition.type === 'Ready');
    return before ?? conditionUnknown('Ready', 'Paused', 'Paused before it was ever ready');
  }
  if (!pass.ok) return conditionFalse('Ready', 'ReconcileError', failure ?? 'The last pass failed');
  if (pass.outcome.kind === 'waiting') {
    return conditionFalse('Ready', pass.outcome.reason, failure ?? 'Work is under way, see status.progress');
  }
  return conditionTrue('Ready', 'Ready');
}

function journey(scope: ClusterScope, pass: Pass): ConditionFact[] {
  const { review, infrastructure, kubernetes, installations, addOns } = scope;
  const missing = (addOns ?? []).filter(
    (addOn) =>
      !installations?.some(
        (installation) => installation.spec.addOn === addOn.metadata.name && isReadyNow(installation),
      ),
  );
  const compliant: ConditionFact = review
    ? review.allowed
      ? conditionTrue('PolicyCompliant', 'Compliant', warnings(review.violations.length))
      : conditionFalse('PolicyCompliant', 'PolicyDenied', 'A rule of level must is broken, see status.failure')
    : conditionUnknown('PolicyCompliant', 'NotReviewed', reviewMessage(pass));
  return [
    compliant,
    child('InfrastructureReady', infrastructure),
    childCondition('ControlPlaneReady', kubernetes),
    childCondition('NodesReady', kubernetes),
    addOns && missing.length === 0
      ? conditionTrue('AddOnsReady', 'Ready')
      : conditionFalse('AddOnsReady', 'WaitingForAddOns', names(missing.map((addOn) => addOn.metadata.name))),
  ];
}

function child(type: string, object: ClusterScope['infrastructure']): ConditionFact {
  if (!object) return conditionFalse(type, 'NotStarted', 'Not started yet');
  if (isReadyNow(object)) return conditionTrue(type, 'Ready');
  return conditionFalse(type, object.status?.failure?.code ?? 'Provisioning', readyMessage(object));
}

function childCondition(type: string, object: ClusterScope['kubernetes']): ConditionFact {
  const found = findCondition(object?.status?.conditions, type);
  return found ? factOf(found) : conditionFalse(type, 'NotStarted', 'Not started yet');
}

function observed(scope: ClusterScope): Partial<ClusterStatus> {
  const { kubernetes, installations, cluster } = scope;
  const before = cluster.status;
  const version = kubernetes?.status?.version ?? before?.version;
  const apiEndpoint = kubernetes?.status?.apiEndpoint ?? before?.apiEndpoint;
  const nodes = kubernetes
    ? {
        ready: (kubernetes.status?.nodes ?? []).filter((node) => node.ready).length,
        desired: desiredCount(cluster),
      }
    : before?.nodes;
  const addOns = installations
    ?.map((installation) => ({
      name: installation.spec.addOn,
      version: installation.spec.version,
      ready: isReadyNow(installation),
    }))
    .sort((left, right) => left.name.localeCompare(right.name));
  return {
    ...(version === undefined ? {} : { version }),
    ...(apiEndpoint === undefined ? {} : { apiEndpoint }),
    ...(nodes ? { nodes } : {}),
    ...(addOns ? { addOns } : before?.addOns ? { addOns: before.addOns } : {}),
  };
}

function desiredCount(cluster: ClusterScope['cluster']): number {
  return cluster.spec.controlPlane.replicas + cluster.spec.nodePools.reduce((sum, pool) => sum + pool.replicas, 0);
}

function blockersText(scope: ClusterScope): string {
  return scope.blockers?.length ? `Waiting for ${names(scope.blockers)}` : 'Being deleted';
}

function reviewMessage(pass: Pass): string {
  if (pass.ok) return 'Not judged yet';
  return `No verdict from policy-mgmt (${errorCode(pass.error)}); nothing is created without one`;
}

function warnings(count: number): string {
  return count === 0 ? '' : `${count} recommendation${count === 1 ? '' : 's'} not followed`;
}

function names(list: readonly string[]): string {
  return list.length === 0 ? 'Not started yet' : list.join(', ');
}
