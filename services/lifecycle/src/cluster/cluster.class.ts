import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  findCondition,
  mergeConditions,
  type Cluster,
  type ClusterStatus,
  type Condition,
  type ConditionFact,
} from '@crate/api';
import { changesText, distanceText, type ClassState } from '../cluster-class/class-state.js';
import type { ClusterScope } from './cluster.scope.js';

const TYPE = 'ClassUpToDate';

/** Changes that a condition's message and the status name one by one. */
const IN_MESSAGE = 3;
const IN_STATUS = 50;

/** Whether the cluster is as the newest revision of its class would have it; nothing for clusters without a class. */
export function classConditions({ cluster, classState }: ClusterScope): readonly (ConditionFact | Condition)[] {
  if (!cluster.spec.classRef) return [];
  if (classState === undefined) return before(cluster.status);
  if (classState === 'ClassNotFound') {
    return [conditionUnknown(TYPE, 'ClassNotFound', `ClusterClass "${cluster.spec.classRef.name}" is gone`)];
  }
  return [factOf(classState)];
}

function before(status: ClusterStatus | undefined): readonly Condition[] {
  const found = findCondition(status?.conditions, TYPE);
  return found ? [found] : [];
}

function factOf(state: ClassState): ConditionFact {
  const { newestRevision, refusal, refused, changes, distance } = state;
  if (refusal !== undefined)
    return outdated('Refused', `Revision ${newestRevision} cannot take this cluster: ${refusal}`);
  if (refused !== undefined)
    return outdated('Refused', `The move to revision ${newestRevision} was refused: ${refused}`);
  if (changes.length === 0) return conditionTrue(TYPE, 'UpToDate', upToDateText(state));
  const why = distance === undefined ? '' : `; ${distanceText(distance)}`;
  const text = `Revision ${newestRevision} would change ${changesText(changes, IN_MESSAGE)}${why}`;
  return outdated(state.isPinned ? 'Pinned' : 'UpdateAvailable', text);
}

function outdated(reason: string, message: string): ConditionFact {
  return conditionFalse(TYPE, reason, conditionMessage(message));
}

function upToDateText({ notApplicable, newestRevision, revision }: ClassState): string {
  if (notApplicable.length > 0) {
    return conditionMessage(`Not applicable to a cluster that exists: ${changesText(notApplicable, IN_MESSAGE)}`);
  }
  return revision === newestRevision ? '' : `Revision ${newestRevision} would change nothing here`;
}

/** What the status says of the class; kept while nobody looked. */
export function classStatus({ cluster, classState }: ClusterScope): ClusterStatus['class'] {
  if (!cluster.spec.classRef || classState === 'ClassNotFound') return undefined;
  if (classState === undefined) return cluster.status?.class;
  const { revision, newestRevision, isPinned, changes, notApplicable, refused } = classState;
  return {
    ...(revision === undefined ? {} : { revision }),
    newestRevision,
    pinned: isPinned,
    changes: changes.slice(0, IN_STATUS),
    changeCount: changes.length,
    notApplicable: [...notApplicable],
    ...(refused === undefined ? {} : { refused: { revision: newestRevision, message: refused } }),
  };
}

/** The status of a cluster as it is, but for what it says of the class. */
export function withClassState(cluster: Cluster, classState: ClassState, now: Date): ClusterStatus {
  const { metadata, status } = cluster;
  const scope = { cluster, classState };
  const others = (status?.conditions ?? []).filter(({ type }) => type !== TYPE);
  const stamp = { generation: metadata.generation, now };
  const conditions = [...others, ...mergeConditions(status?.conditions, classConditions(scope), stamp)];
  return { ...status, conditions, class: classStatus(scope) };
}
