import type { Cluster, ClusterClass } from '@crate/api';
import { hasCode } from '@crate/errors';
import {
  gone,
  Reconciler,
  saveStatusIfChanged,
  settled,
  waiting,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { ClassRevisions } from './class-revisions.js';
import { candidates, isMovable, isUnderWay, ROLLOUT_ANNOTATION, rolloutOf, type Rollout } from './class-rollout.js';
import type { ClassPreview, StandingCluster } from './class-state.js';
import { usersOf } from './cluster-class.admission.js';
import { MOVE_ANNOTATION } from './cluster-class.prepare.js';
import { classStatus } from './cluster-class.status.js';
import { StatedFields } from './stated-fields.js';

/** A moving cluster wakes its class; this is for the case that nobody heard of it. */
const LOOK_AGAIN_MS = 15_000;

/** A cluster that was changed just when it was to move, such as by its own reconciler, is looked at anew. */
const CHANGED_AGAIN_MS = 500;

/** What became of the clusters that were told to move. */
interface Moves {
  moved: number;
  changed: number;
  refused: number;
}

export interface ClassReconcilerPorts {
  readonly classes: TypedClient<ClusterClass>;
  readonly clusters: TypedClient<Cluster>;
  readonly revisions: ClassRevisions;
  readonly preview: ClassPreview;
}

/**
 * Records what a class was, moves its clusters to what it is, and forgets revisions that nobody uses. How far it has come
 * is read off the clusters, so that a pass may end anywhere and the next one goes on.
 */
export class ClusterClassReconciler extends Reconciler {
  override readonly name = 'cluster-class';

  constructor(
    private readonly ports: ClassReconcilerPorts,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const { classes, clusters, revisions, preview } = this.ports;
    const owner = await classes.find(key.name);
    if (!owner) return gone;
    const newest = await revisions.current(owner);
    const users = await clusters.list(usersOf(owner));
    const rollout = rolloutOf(await preview.statesUnder(users, preview.target(newest)));
    const { spec } = newest;
    const moves = await this.move(owner, rollout, context);
    await this.prune(owner, users, spec.revision);
    const status = classStatus(owner, { newestRevision: spec.revision, rollout, refused: moves.refused }, this.now());
    await saveStatusIfChanged(classes, owner, status);
    if (moves.changed > 0) return waiting('ClustersChanging', CHANGED_AGAIN_MS);
    return moves.moved + rollout.moving.length > 0 ? waiting('RollingOut', LOOK_AGAIN_MS) : settled;
  }

  /** Stops at the first refusal beyond what may fail; a refused cluster is asked for again in the next pass. */
  private async move(owner: ClusterClass, rollout: Rollout, { signal }: ReconcileContext): Promise<Moves> {
    const { maxConcurrent, maxFailures } = owner.spec.rollout;
    const moves: Moves = { moved: 0, changed: 0, refused: 0 };
    // A class that was changed in the middle of a rollout has clusters that are on their way to a revision before.
    let busy = rollout.moving.length + rollout.outdated.filter(isUnderWay).length;
    for (const next of candidates(owner, rollout)) {
      const takesPlace = !isUnderWay(next);
      const isFull = takesPlace && busy >= maxConcurrent;
      if (isFull || rollout.failing.length + moves.refused > maxFailures || signal.aborted) break;
      const how = await this.moveOne(next);
      moves[how] += 1;
      if (how === 'moved' && takesPlace) busy += 1;
    }
    return moves;
  }

  /** Tells one cluster to move, unless it was changed meanwhile: then the next pass looks at it anew. */
  private async moveOne({ cluster, state }: StandingCluster): Promise<keyof Moves> {
    const { name, namespace } = cluster.metadata;
    const fresh = await this.ports.clusters.find(name, namespace);
    const isSame = fresh?.metadata.uid === cluster.metadata.uid && fresh.spec.classRef?.revision === state.revision;
    if (!fresh || !isSame || !isMovable(fresh) || StatedFields.of(fresh).hasRevision) return 'changed';
    const revision = String(state.newestRevision);
    const { uid, resourceVersion } = fresh.metadata;
    const annotations = { [MOVE_ANNOTATION]: revision, [ROLLOUT_ANNOTATION]: revision };
    try {
      await this.ports.clusters.merge(name, namespace, { metadata: { uid, resourceVersion, annotations } });
      return 'moved';
    } catch (error) {
      if (hasCode(error, 'Conflict', 'NotFound')) return 'changed';
      if (hasCode(error, 'InvalidSpec', 'Forbidden', 'BadRequest')) return 'refused';
      throw error;
    }
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
