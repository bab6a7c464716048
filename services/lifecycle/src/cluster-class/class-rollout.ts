import { findCondition, isConditionTrue, type Cluster, type ClusterClass } from '@crate/api';
import { isHeldToPlan } from '../plan/approved-plan.js';
import { wasMoved } from './class-marks.js';
import type { ClassState, StandingCluster } from './class-state.js';

/** The clusters of a class by how far they are, each list sorted by Project and name. */
export interface Rollout {
  readonly upToDate: readonly StandingCluster[];
  /** Older, and nobody stated so; also what is left alone, whatever the newest revision makes of it. */
  readonly outdated: readonly StandingCluster[];
  readonly pinned: readonly StandingCluster[];
  /** Moved, and on their way. */
  readonly moving: readonly StandingCluster[];
  /** Moved and failing, or such that the newest revision cannot take them. */
  readonly failing: readonly StandingCluster[];
}

type Standing = keyof Rollout;

/** Sorts the clusters of a class; what happened before is read off the clusters alone. */
export function rolloutOf(clusters: readonly StandingCluster[]): Rollout {
  const sorted = clusters.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  const which = (standing: Standing): readonly StandingCluster[] =>
    sorted.filter((each) => standingOf(each) === standing);
  return {
    upToDate: which('upToDate'),
    outdated: which('outdated'),
    pinned: which('pinned'),
    moving: which('moving'),
    failing: which('failing'),
  };
}

/** How one cluster stands. */
export function standingOf(each: StandingCluster): Standing {
  const { cluster, state } = each;
  if (state.revision === state.newestRevision)
    return wasMoved(cluster, state.newestRevision) ? progressOf(cluster) : 'upToDate';
  if (isStuckOnTheWay(each) || wasTakenBack(cluster, state)) return 'failing';
  if (state.isPinned) return 'pinned';
  return state.refusal !== undefined && isMovable(cluster) ? 'failing' : 'outdated';
}

/** How one cluster stands, for people: a move that was refused counts as a failure until the next try. */
export function toldStandingOf(each: StandingCluster): Standing {
  const standing = standingOf(each);
  const isRefused = each.state.refused !== undefined && isMovable(each.cluster);
  return standing === 'outdated' && isRefused ? 'failing' : standing;
}

/** True for a class that moves clusters by itself. */
export function movesByItself({ spec: { rollout } }: Pick<ClusterClass, 'spec'>): boolean {
  return rollout.strategy === 'Automatic' && !rollout.paused;
}

/** Out of a rollout, before it was well: the others are not to meet the same. */
export function wasTakenBack(cluster: Cluster, { isPinned, revision, newestRevision }: ClassState): boolean {
  return isPinned && revision !== newestRevision && wasMoved(cluster, newestRevision);
}

/** Nothing newer helps a cluster that fails on the way to what is too far for it. */
function isStuckOnTheWay(each: StandingCluster): boolean {
  return isOnTheWay(each) && progressOf(each.cluster) === 'failing';
}

/** Moved to a revision before the newest, which is too far for it still. */
export function isOnTheWay({ cluster, state: { distance, revision } }: StandingCluster): boolean {
  return distance === 'later' && revision !== undefined && wasMoved(cluster, revision);
}

/** The clusters that may be moved, in turn, those first that are on their way already; none while too many fail. */
export function candidates({ spec }: ClusterClass, { outdated, failing }: Rollout): readonly StandingCluster[] {
  if (!movesByItself({ spec }) || failing.length > spec.rollout.maxFailures) return [];
  const movable = outdated.filter(({ cluster, state }) => isMovable(cluster) && state.distance !== 'never');
  return [...movable.filter(isUnderWay), ...movable.filter((each) => !isUnderWay(each))];
}

/** How many are on their way, be it to a revision before the newest. */
export function underWay({ moving, outdated }: Rollout): number {
  return moving.length + outdated.filter(isUnderWay).length;
}

/** Moved to a revision, the newest or one before it, and not there yet. */
export function isUnderWay({ cluster, state: { revision } }: StandingCluster): boolean {
  return revision !== undefined && wasMoved(cluster, revision) && progressOf(cluster) === 'moving';
}

/** Not what is left alone, nor what a plan is carried out in: a move would make that void. */
export function isMovable(cluster: Cluster): boolean {
  return !isLeftAlone(cluster) && !isHeldToPlan(cluster);
}

/** A paused cluster is, and one that goes away needs no move. */
function isLeftAlone({ spec, metadata }: Cluster): boolean {
  return spec.paused || metadata.deletionTimestamp !== undefined;
}

/** True for a cluster that a rollout need not wait for, wherever it is. */
export function isWell(cluster: Cluster): boolean {
  return progressOf(cluster) === 'upToDate';
}

/** True when a cluster that is not there comes up, is tried again after a failure, or goes away: all of it without anybody's doing. */
export function changesByItself({ outdated, failing }: Rollout): boolean {
  return [...outdated, ...failing].some(
    ({ cluster }) => cluster.metadata.deletionTimestamp !== undefined || !isWell(cluster),
  );
}

/** What is left alone has its spec, and nobody knows when more comes of it: waiting for it would hold up all others. */
function progressOf(cluster: Cluster): Standing {
  const { metadata, status } = cluster;
  if (isLeftAlone(cluster) || isConditionTrue(status?.conditions, 'Ready', metadata.generation)) return 'upToDate';
  const ready = findCondition(status?.conditions, 'Ready');
  // What failed before the move says nothing about it.
  const isNews = (ready?.observedGeneration ?? 0) >= metadata.generation;
  return isNews && status?.failure !== undefined ? 'failing' : 'moving';
}

function nameOf({ cluster: { metadata } }: StandingCluster): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
