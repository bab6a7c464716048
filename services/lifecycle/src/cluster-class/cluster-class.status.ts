import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  mergeConditions,
  type ClusterClass,
  type ConditionFact,
} from '@crate/api';
import type { FailureCause } from '@crate/reconcile';
import type { Rollout } from './class-rollout.js';
import type { StandingCluster } from './class-state.js';

type ClassStatus = NonNullable<ClusterClass['status']>;

const SHOWN_FIELDS = 20;

/** What a pass found out about a class. */
export interface ClassFacts {
  readonly newestRevision: number;
  readonly rollout: Rollout;
  /** Moves that admission refused in this pass. */
  readonly refused: number;
  /** Whether more comes of it by itself; else nothing does before somebody changes the class or a cluster. */
  readonly isGoingOn: boolean;
  /** Why clusters could not be moved that are no reason themselves; tried again. */
  readonly failure?: FailureCause | undefined;
}

/** Pure. Names no cluster: whoever may use a class may read it, and clusters belong to Projects. */
export function classStatus(owner: ClusterClass, facts: ClassFacts, now: Date): ClassStatus {
  const { generation } = owner.metadata;
  const statements = [conditionTrue('Ready', 'Ready'), synced(facts), rolledOut(owner, facts)];
  return {
    observedGeneration: facts.failure ? (owner.status?.observedGeneration ?? 0) : generation,
    conditions: mergeConditions(owner.status?.conditions, statements, { generation, now }),
    revision: facts.newestRevision,
    clusters: countsOf(facts),
    ...pendingChanges(facts.rollout),
  };
}

function synced({ failure }: ClassFacts): ConditionFact {
  if (!failure) return conditionTrue('Synced', 'ReconcileSuccess');
  const what = failure.remedy === undefined ? failure.message : `${failure.message}. ${failure.remedy}`;
  return conditionFalse('Synced', 'ReconcileError', conditionMessage(`The rollout waits: ${what}`));
}

function countsOf({ rollout, refused }: ClassFacts): NonNullable<ClassStatus['clusters']> {
  const { upToDate, outdated, pinned, moving, failing } = rollout;
  return {
    total: upToDate.length + outdated.length + pinned.length + moving.length + failing.length,
    upToDate: upToDate.length,
    outdated: outdated.length - refused,
    pinned: pinned.length,
    moving: moving.length,
    failing: failing.length + refused,
  };
}

function rolledOut({ spec }: ClusterClass, facts: ClassFacts): ConditionFact {
  const type = 'RolledOut';
  const { strategy, paused, maxFailures } = spec.rollout;
  const { outdated, moving, failing, pinned } = countsOf(facts);
  const far = facts.rollout.outdated.filter(({ state }) => state.distance !== undefined).length;
  const counted = `${count(outdated, 'cluster')} to move, ${moving} moving, ${failing} failing, ${pinned} pinned`;
  const text = far > 0 ? `${counted}; ${far} cannot move to it at once` : counted;
  if (outdated + moving + failing === 0)
    return conditionTrue(type, 'UpToDate', pinned > 0 ? `${pinned} pinned to older revisions` : '');
  if (strategy === 'Manual') return conditionFalse(type, 'Manual', `${text}; a cluster moves when it is told to`);
  if (paused) return conditionFalse(type, 'Paused', text);
  if (failing > maxFailures)
    return conditionFalse(type, 'TooManyFailures', `${text}; stopped, at most ${maxFailures} may fail`);
  return conditionFalse(type, facts.isGoingOn ? 'RollingOut' : 'Stalled', text);
}

function pendingChanges({ outdated, pinned }: Rollout): Pick<ClassStatus, 'pendingChanges'> {
  const fields = new Map<string, number>();
  for (const { field } of [...outdated, ...pinned].flatMap(changesOf)) fields.set(field, (fields.get(field) ?? 0) + 1);
  const changes = [...fields].map(([field, clusters]) => ({ field, clusters }));
  if (changes.length === 0) return {};
  const byWeight = changes.sort((a, b) => b.clusters - a.clusters || (a.field < b.field ? -1 : 1));
  return { pendingChanges: byWeight.slice(0, SHOWN_FIELDS) };
}

function changesOf({ state }: StandingCluster): StandingCluster['state']['changes'] {
  return state.changes;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
