import {
  findCondition,
  isExisting,
  type AddOn,
  type Condition,
  type Failure,
  type KubeObject,
  type PhaseProgress,
  type Progress,
} from '@crate/api';
import type { Pass } from '@crate/reconcile';
import { addOnAtHand, leavingAddOns } from './cluster.add-on-news.js';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow } from './phases/child.js';

interface Stage {
  readonly name: string;
  readonly done: boolean;
  readonly progress?: Progress | undefined;
  readonly failed?: boolean;
  /** Work on it is under way though an earlier one is not done. */
  readonly isReached?: boolean;
}

/** Any child that reports how far it is. */
interface Child extends KubeObject {
  status?: {
    conditions?: Condition[] | undefined;
    progress?: Progress | undefined;
    failure?: Failure | undefined;
  };
}

/** One entry per phase of the journey, so that a page or a terminal can draw one bar each. */
export function clusterPhases(scope: ClusterScope, pass: Pass): PhaseProgress[] {
  const stages = scope.cluster.metadata.deletionTimestamp ? tearDownStages(scope, pass) : bringUpStages(scope, pass);
  const current = stages.findIndex((stage) => !stage.done);
  return stages.map((stage, index) => {
    if (stage.done) return entry(stage.name, 'Done', { step: 1, steps: 1, message: 'Done' });
    if (index > current && stage.isReached !== true)
      return entry(stage.name, 'Pending', { step: 0, steps: 1, message: 'Not started yet' });
    const state = stage.failed === true || !pass.ok ? 'Failed' : 'Running';
    return entry(stage.name, state, stage.progress ?? { step: 0, steps: 1, message: underWay(scope, pass) });
  });
}

function bringUpStages(scope: ClusterScope, pass: Pass): Stage[] {
  const policy = { name: 'Policy', done: scope.review?.allowed === true || scope.isLeftStanding === true };
  const kubernetes = childStage('Kubernetes', scope.kubernetes);
  if (isExisting(scope.cluster)) return [policy, kubernetes, addOnsStage(scope, isSettled(pass))];
  const infrastructure = childStage('Infrastructure', scope.infrastructure);
  // A machine or a node that is not as it should be does not keep add-ons waiting.
  const isReached = scope.addOns !== undefined;
  const isNext = infrastructure.done && kubernetes.done;
  return [
    policy,
    infrastructure,
    { ...kubernetes, isReached, done: (infrastructure.done || isReached) && kubernetes.done },
    { ...addOnsStage(scope, isSettled(pass) || (!isNext && areAddOnsDone(scope))), isReached },
  ];
}

function areAddOnsDone({ addOns, installations = [] }: ClusterScope): boolean {
  const isDone = (addOn: AddOn): boolean =>
    installations.some((installation) => installation.spec.addOn === addOn.metadata.name && isReadyNow(installation));
  return addOns?.every(isDone) === true && leavingAddOns(installations).length === 0;
}

function addOnsStage(scope: ClusterScope, done: boolean): Stage {
  const { addOns, installations = [] } = scope;
  const ready = installations.filter(isReadyNow).length;
  const failed = installations.some((installation) => installation.status?.failure !== undefined);
  const steps = addOns?.length ?? 0;
  const atHand = addOnAtHand(scope);
  const message = `${ready} of ${steps} ready${atHand === undefined ? '' : `; ${atHand}`}`;
  return { name: 'Add-ons', done, failed, progress: { step: ready, steps: Math.max(steps, 1), message } };
}

function tearDownStages(scope: ClusterScope, pass: Pass): Stage[] {
  const { kubernetes, infrastructure, cluster } = scope;
  if (isExisting(cluster)) {
    return [
      { name: 'Remove add-ons', done: isSettled(pass) || kubernetes !== undefined },
      { ...childStage('Let go', kubernetes), done: isSettled(pass) },
    ];
  }
  const isAtInfrastructure = isSettled(pass) || infrastructure !== undefined || scope.isKubernetesGone === true;
  return [
    { name: 'Remove add-ons', done: isAtInfrastructure || kubernetes !== undefined },
    { ...childStage('Remove Kubernetes', kubernetes), done: isAtInfrastructure },
    { ...childStage('Remove infrastructure', infrastructure), done: isSettled(pass) },
  ];
}

function childStage(name: string, child: Child | undefined): Stage {
  if (!child) return { name, done: false };
  const { conditions, progress, failure } = child.status ?? {};
  const seen = findCondition(conditions, 'Ready')?.observedGeneration ?? 0;
  // Until the child has seen its new spec, its progress is that of the one before.
  const isNews = seen >= child.metadata.generation;
  const news = isNews ? progress : undefined;
  // How far it came is where it failed, unless it had come to the end and failed at something else.
  const isPast = news === undefined || news.step >= news.steps;
  const told = failure && isPast ? { step: 0, steps: 1, message: failure.code } : news;
  return { name, done: isReadyNow(child), progress: told, failed: failure !== undefined };
}

function isSettled(pass: Pass): boolean {
  return pass.ok && pass.outcome.kind === 'settled';
}

const UNDER_WAY: Readonly<Record<string, string>> = {
  WaitingForSshKey: 'Preparing access to the machines',
  WaitingForNodesToLeave: 'Waiting for nodes to leave',
  WaitingForKubernetes: 'Waiting until the engine is done with the nodes',
};

/** What the phase at hand does that has no child to tell it. */
function underWay(scope: ClusterScope, pass: Pass): string {
  const { kubernetes, leavingNodes = [] } = scope;
  const reason = pass.ok && pass.outcome.kind === 'waiting' ? pass.outcome.reason : '';
  if (reason === 'WaitingForNodesToLeave' && leavingNodes.length > 0) {
    // Once the engine is done with them it knows more than that they have not left.
    const told = kubernetes && findCondition(kubernetes.status?.conditions, 'Ready');
    if (told?.reason === reason) return told.message;
    return `${UNDER_WAY[reason]}: ${leavingNodes.join(', ')}`;
  }
  if (reason === 'WaitingForAddOnRemoval') return addOnsLeave(scope);
  return UNDER_WAY[reason] ?? 'Under way';
}

function addOnsLeave(scope: ClusterScope): string {
  const atHand = addOnAtHand(scope);
  return `Waiting for add-ons to leave${atHand === undefined ? '' : `: ${atHand}`}`;
}

function entry(name: string, state: PhaseProgress['state'], progress: Progress): PhaseProgress {
  return { name, state, ...progress };
}
