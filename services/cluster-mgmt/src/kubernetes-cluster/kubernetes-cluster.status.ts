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
  type ConditionFact,
  type DeletionStatus,
  type Failure,
  type KubernetesCluster,
  type KubernetesClusterStatus,
} from '@crate/api';
import {
  blockersText,
  deletingFact,
  deletionStatusOf,
  failedFact,
  failureBlocker,
  failureInRetry,
  failureOf,
  type Pass,
  type ShownFailure,
  type StatusContext,
} from '@crate/reconcile';
import { complianceFact } from '../policy/compliance.js';
import { WAITING_FOR_SLOT } from './phases/wait-for-slot.js';
import { isExistingCluster, type Contact, type KubernetesClusterScope } from './kubernetes-cluster.scope.js';

/** What a person reads about the cluster after a pass, or in the middle of one. Pure: facts in, status out. */
export function kubernetesClusterStatus(
  scope: KubernetesClusterScope,
  pass: Pass,
  context: StatusContext,
): KubernetesClusterStatus {
  const { metadata, spec, status: before } = scope.cluster;
  const shown = failureOnShow(scope, pass, context);
  const failure = shown?.failure;
  const deletion = deletionOf(scope, failure, context.now);
  const facts = [
    readyFact(scope, pass, failure),
    synced(scope, pass, shown),
    pausedFact(isPaused(scope.cluster)),
    controlPlaneReady(scope),
    nodesReady(scope),
    complianceFact(scope, pass, before?.conditions),
    deletingFact(scope.cluster, deletion, deletionText(scope, pass), context),
  ];
  const isDone = pass.ok && (scope.isApplied || spec.nodes.length === 0 || metadata.deletionTimestamp !== undefined);
  return {
    observedGeneration: isDone ? metadata.generation : (before?.observedGeneration ?? 0),
    conditions: mergeConditions(before?.conditions, facts, { generation: metadata.generation, now: context.now }),
    ...progress(scope, pass),
    ...(failure ? { failure } : {}),
    ...(deletion ? { deletion } : {}),
    ...leftToTheCloud(scope),
    ...published(scope),
  };
}

/** A failure stays on show while the same work is tried again, until that is past it, and goes when other work is asked for. */
function failureOnShow(
  scope: KubernetesClusterScope,
  pass: Pass,
  { traceId }: StatusContext,
): ShownFailure | undefined {
  const { cluster, stage } = scope;
  if (!pass.ok) return { failure: failureOf(pass.error, { traceId, before: cluster.status?.failure }), stage };
  return !scope.isApplied && pass.outcome.kind === 'waiting' ? failureInRetry(cluster, stage) : undefined;
}

/** What made a pass fail is in the way, too. */
function deletionOf(
  scope: KubernetesClusterScope,
  failure: Failure | undefined,
  now: Date,
): DeletionStatus | undefined {
  const { cluster, abandoned = [] } = scope;
  const failed = failureBlocker(cluster, failure);
  return deletionStatusOf(cluster, { blockers: [...failed, ...scope.blockers], abandoned }, now);
}

function readyFact(scope: KubernetesClusterScope, pass: Pass, failure: Failure | undefined): ConditionFact {
  if (scope.cluster.metadata.deletionTimestamp) return conditionFalse('Ready', 'Deleting', deletionText(scope, pass));
  if (failure) return conditionFalse('Ready', failure.code, conditionMessage(failure.message));
  if (!pass.ok || pass.outcome.kind === 'settled') return conditionTrue('Ready', 'Ready');
  if (scope.contact?.kind === 'silent') return silent(scope, 'Ready', scope.contact);
  if (pass.outcome.reason === PAUSED) return conditionFalse('Ready', PAUSED, PART_PAUSED);
  return conditionFalse('Ready', pass.outcome.reason, scope.progress?.message ?? 'Work is under way');
}

function synced(scope: KubernetesClusterScope, pass: Pass, shown: ShownFailure | undefined): ConditionFact {
  if (shown) return failedFact(shown);
  if (scope.isApplied || (pass.ok && pass.outcome.kind === 'settled'))
    return conditionTrue('Synced', 'ReconcileSuccess');
  if (isPaused(scope.cluster)) return conditionFalse('Synced', PAUSED, PART_PAUSED);
  return conditionUnknown('Synced', 'InProgress', 'The specification is being applied');
}

function controlPlaneReady(scope: KubernetesClusterScope): ConditionFact {
  const { contact } = scope;
  if (!contact) return asBefore(scope, 'ControlPlaneReady');
  if (contact.kind === 'silent') return silent(scope, 'ControlPlaneReady', contact);
  return conditionTrue('ControlPlaneReady', 'Ready');
}

function nodesReady(scope: KubernetesClusterScope): ConditionFact {
  const { contact, cluster } = scope;
  if (contact?.kind === 'silent') return silent(scope, 'NodesReady', contact);
  const wanted = wantedNodes(cluster, contact);
  if (contact) return readinessOf(wanted, contact.nodes);
  // Nodes that were asked for since somebody looked are not ready because others were.
  const known = cluster.status?.nodes && readinessOf(wanted, cluster.status.nodes);
  return known?.status === 'False' ? known : asBefore(scope, 'NodesReady');
}

/** Of a cluster whose nodes others keep, those that are there. */
function wantedNodes(
  cluster: KubernetesCluster,
  contact: Extract<Contact, { kind: 'up' }> | undefined,
): readonly { readonly name: string }[] {
  return isExistingCluster(cluster) ? ((contact ?? cluster.status)?.nodes ?? []) : cluster.spec.nodes;
}

function readinessOf(
  wanted: readonly { readonly name: string }[],
  known: readonly { readonly name: string; readonly ready: boolean }[],
): ConditionFact {
  const missing = wanted.filter(({ name }) => !known.some((node) => node.name === name && node.ready));
  if (missing.length === 0) return conditionTrue('NodesReady', 'Ready');
  const names = missing.map((node) => node.name).sort();
  return conditionFalse('NodesReady', 'WaitingForNodes', conditionMessage(`Not ready: ${names.join(', ')}`));
}

/** Within the grace time what was last known stays, if it was known of this spec; a cluster that never answered is not up yet. */
function silent(
  scope: KubernetesClusterScope,
  type: string,
  contact: { readonly reason: string; readonly message: string; readonly isBeyondGrace: boolean },
): ConditionFact {
  const { metadata, status } = scope.cluster;
  const before = findCondition(status?.conditions, type);
  if (status?.version === undefined) return conditionFalse(type, 'WaitingForControlPlane', contact.message);
  const isOfThisSpec = status.observedGeneration === metadata.generation;
  if (!contact.isBeyondGrace && isOfThisSpec && before) return factOf(before);
  return conditionUnknown(type, contact.reason, contact.message);
}

function asBefore(scope: KubernetesClusterScope, type: string): ConditionFact {
  const before = findCondition(scope.cluster.status?.conditions, type);
  return before ? factOf(before) : conditionFalse(type, 'NotStarted', 'Not started yet');
}

function progress(scope: KubernetesClusterScope, pass: Pass): Pick<KubernetesClusterStatus, 'progress'> {
  const current = scope.progress ?? scope.cluster.status?.progress;
  if (!current) return {};
  const isReady = pass.ok && pass.outcome.kind === 'settled' && !scope.cluster.metadata.deletionTimestamp;
  return { progress: isReady ? { step: current.steps, steps: current.steps, message: 'Ready' } : current };
}

/** What stays as it was published before, unless this pass knows better. */
function published(scope: KubernetesClusterScope): Partial<KubernetesClusterStatus> {
  const { sshPublicKey, apiEndpoint, version, stateSerial, appliedHash, nodes, keptVolumes } =
    scope.cluster.status ?? {};
  return withoutUndefined({
    ...{ sshPublicKey, apiEndpoint, version, stateSerial, appliedHash, nodes, keptVolumes },
    ...withoutUndefined({ sshPublicKey: scope.sshPublicKey, apiEndpoint: endpointOf(scope) }),
    ...withoutUndefined({ silentSince: scope.silentSince }),
    ...(scope.engine ? { stateSerial: scope.engine.stateSerial, appliedHash: scope.engine.appliedHash } : {}),
    // None is an answer, too: without one nobody knows which volumes may be removed.
    ...(scope.keptVolumes ? { keptVolumes: [...scope.keptVolumes] } : {}),
    ...(scope.contact?.kind === 'up' ? observed(scope, scope.contact) : {}),
  });
}

/** Absent when it is nothing. */
function leftToTheCloud(scope: KubernetesClusterScope): Pick<KubernetesClusterStatus, 'leftToTheCloud'> {
  const left = scope.leftToTheCloud ?? scope.cluster.status?.leftToTheCloud ?? [];
  return left.length > 0 ? { leftToTheCloud: left } : {};
}

function endpointOf({ cluster, isApplied }: KubernetesClusterScope): string | undefined {
  const { apiEndpoint } = cluster.spec;
  return apiEndpoint && isApplied ? `https://${apiEndpoint.host}:${apiEndpoint.port}` : undefined;
}

/** The API server may be of another version than nodes that an engine has yet to bring there: which one may come next depends on all. */
function observed(
  { cluster, isApplied }: KubernetesClusterScope,
  { version, nodes }: Extract<Contact, { kind: 'up' }>,
): Pick<KubernetesClusterStatus, 'version' | 'nodes'> {
  const seen = nodes.map(({ name, role, ready, version }) => ({ name, role, ready, version }));
  return { nodes: seen, ...(isApplied || isExistingCluster(cluster) ? { version } : {}) };
}

function deletionText({ blockers }: KubernetesClusterScope, pass: Pass): string {
  // Nothing is in the way of it, but nothing is being removed either.
  const isInLine = pass.ok && pass.outcome.kind === 'waiting' && pass.outcome.reason === WAITING_FOR_SLOT;
  if (isInLine) return 'Waiting for a free engine';
  return conditionMessage(blockersText(blockers));
}
