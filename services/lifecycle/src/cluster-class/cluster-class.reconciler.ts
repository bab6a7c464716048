import type { Cluster, ClusterClass } from '@crate/api';
import {
  failureCause,
  failureEvent,
  gone,
  Reconciler,
  saveStatusIfChanged,
  settled,
  waiting,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { ClassRevisions } from './class-revisions.js';
import { ClassMover, type Moves } from './class-mover.js';
import { changesByItself, rolloutOf, underWay, type Rollout } from './class-rollout.js';
import type { ClassPreview } from './class-state.js';
import { usersOf } from './cluster-class.admission.js';
import { classStatus } from './cluster-class.status.js';

/** A moving cluster wakes its class; this is for the case that nobody heard of it. */
const LOOK_AGAIN_MS = 15_000;

/** A cluster that was changed just when it was to move, such as by its own reconciler, is looked at anew. */
const CHANGED_AGAIN_MS = 500;

/** What was in the way of a move may go away where nobody here hears of it, such as a quota. */
const ASK_AGAIN_MS = 60_000;

export interface ClassReconcilerPorts {
  readonly classes: TypedClient<ClusterClass>;
  readonly clusters: TypedClient<Cluster>;
  readonly revisions: ClassRevisions;
  readonly preview: ClassPreview;
  readonly events: EventRecorder;
}

/**
 * Records what a class was, moves its clusters to what it is, and forgets revisions that nobody uses. How far it has come
 * is read off the clusters, so that a pass may end anywhere and the next one goes on.
 */
export class ClusterClassReconciler extends Reconciler {
  override readonly name = 'cluster-class';
  private readonly mover: ClassMover;

  constructor(
    private readonly ports: ClassReconcilerPorts,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
    this.mover = new ClassMover(ports, now);
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const { classes, clusters, revisions, preview } = this.ports;
    const owner = await classes.find(key.name);
    if (!owner) return gone;
    const newest = await revisions.current(owner);
    const users = await clusters.list(usersOf(owner));
    const rollout = rolloutOf(await preview.statesUnder(users, preview.target(newest)));
    const { spec } = newest;
    const moves = await this.mover.move(owner, rollout, context);
    await this.prune(owner, users, spec.revision);
    const outcome = outcomeOf(moves, rollout);
    const { failure: error, refused } = moves;
    const failure = error === undefined ? undefined : failureCause(error);
    const isGoingOn = failure !== undefined || outcome.kind === 'waiting' || changesByItself(rollout);
    const facts = { newestRevision: spec.revision, rollout, refused, isGoingOn, failure };
    const told = await saveStatusIfChanged(classes, owner, classStatus(owner, facts, this.now()));
    if (!failure) return outcome;
    this.ports.events.record(told, { ...failureEvent(failure), traceId: context.traceId });
    throw error;
  }

  private async prune(owner: ClusterClass, users: readonly Cluster[], newest: number): Promise<void> {
    const used = new Set([newest, ...users.map(({ spec }) => spec.classRef?.revision)]);
    const unused = (await this.ports.revisions.list(owner.metadata.name)).filter(
      ({ spec }) => !used.has(spec.revision),
    );
    const surplus = unused.slice(0, Math.max(0, unused.length - owner.spec.revisionHistoryLimit));
    for (const revision of surplus) await this.ports.revisions.remove(revision);
  }
}

function outcomeOf({ changed, moved, refused }: Moves, rollout: Rollout): Outcome {
  if (changed > 0) return waiting('ClustersChanging', CHANGED_AGAIN_MS);
  if (moved + underWay(rollout) > 0) return waiting('RollingOut', LOOK_AGAIN_MS);
  return refused > 0 ? waiting('MovesRefused', ASK_AGAIN_MS) : settled;
}
