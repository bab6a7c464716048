import type { Cluster, ClusterClass } from '@crate/api';
import { isMovable, movesByItself } from './class-rollout.js';
import { changesText, distanceText, type ClassState, type StandingCluster } from './class-state.js';

const SHOWN_CLUSTERS = 10;
const SHOWN_CHANGES = 3;

/** What a class would bring to its clusters, for whoever writes it: all in one line, and a line for each of the first. Pure. */
export function forecast(owner: ClusterClass, states: readonly StandingCluster[]): readonly string[] {
  const concerned = states.filter(({ state }) => concerns(state));
  const lines = concerned
    .slice(0, SHOWN_CLUSTERS)
    .map(({ cluster, state }) => `${nameOf(cluster)}: ${stateText(state)}`);
  const rest = concerned.length - lines.length;
  const summary = `This changes ${concerned.length} of ${states.length} clusters of the class; ${howText(owner, concerned)}`;
  return [summary, ...lines, ...(rest > 0 ? [`and ${rest} more clusters`] : [])];
}

function howText(owner: ClusterClass, concerned: readonly StandingCluster[]): string {
  if (!movesByItself(owner)) return 'none is moved before it is told to';
  const still = concerned.filter(stays).length;
  return `they are moved a few at a time${still > 0 ? `, but for ${still} that stay as they are` : ''}`;
}

/** Pinned, paused, held to a plan, refused, or of a later version of Kubernetes. */
function stays({ cluster, state: { isPinned, refusal, distance } }: StandingCluster): boolean {
  return isPinned || refusal !== undefined || distance === 'never' || !isMovable(cluster);
}

function concerns({ revision, newestRevision, changes, notApplicable, refusal }: ClassState): boolean {
  return revision !== newestRevision && (changes.length > 0 || notApplicable.length > 0 || refusal !== undefined);
}

function stateText({ changes, notApplicable, refusal, distance }: ClassState): string {
  const parts = [
    ...(refusal === undefined ? [] : [`would be refused: ${refusal}`]),
    ...(changes.length > 0 ? [changesText(changes, SHOWN_CHANGES)] : []),
    ...(distance === undefined ? [] : [distanceText(distance)]),
    ...(notApplicable.length > 0
      ? [`not applicable to a cluster that exists: ${changesText(notApplicable, SHOWN_CHANGES)}`]
      : []),
  ];
  return parts.join('; ');
}

function nameOf({ metadata }: Cluster): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
