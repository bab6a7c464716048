import { conditionMessage, type Cluster, type ClusterClass } from '@crate/api';
import { hasCode } from '@crate/errors';
import { isNoNews, saveStatusIfChanged, type EventRecorder, type ReconcileContext } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { withClassState } from '../cluster/cluster.class.js';
import { MOVE_ANNOTATION, ROLLOUT_ANNOTATION } from './class-marks.js';
import type { ClassRevisions } from './class-revisions.js';
import { candidates, isMovable, isUnderWay, underWay, type Rollout } from './class-rollout.js';
import { isPinned, type ClassPreview, type ClassState, type StandingCluster } from './class-state.js';
import { ClassSteps } from './class-steps.js';

export interface ClassMoverPorts {
  readonly clusters: TypedClient<Cluster>;
  readonly revisions: ClassRevisions;
  readonly preview: ClassPreview;
  readonly events: EventRecorder;
}

/** What became of the clusters that were told to move. */
export interface Moves {
  moved: number;
  changed: number;
  refused: number;
  /** What ended the pass early, where nobody could say whether the next cluster may move, as when policies cannot be asked. */
  failure?: unknown;
}

type Move = 'moved' | 'changed' | 'refused';

/** Moves clusters towards the newest revision of their class, as far as the rollout lets it. */
export class ClassMover {
  constructor(
    private readonly ports: ClassMoverPorts,
    private readonly now: () => Date,
  ) {}

  /**
   * Stops at the first refusal beyond what may fail, and at the first cluster that nobody can judge (`failure`); both are asked for again in
   * the next pass. Throws when the pass was cut off: what it did not come to is no news of the rollout.
   */
  async move(owner: ClusterClass, rollout: Rollout, context: ReconcileContext): Promise<Moves> {
    const { maxConcurrent, maxFailures } = owner.spec.rollout;
    const moves: Moves = { moved: 0, changed: 0, refused: 0 };
    const waiting = candidates(owner, rollout);
    if (waiting.length === 0) return moves;
    const steps = new ClassSteps(await this.ports.revisions.list(owner.metadata.name), this.ports.preview);
    let busy = underWay(rollout);
    for (const next of waiting) {
      const takesPlace = !isUnderWay(next);
      const isFull = takesPlace && busy >= maxConcurrent;
      if (isFull || rollout.failing.length + moves.refused > maxFailures) break;
      context.signal.throwIfAborted();
      try {
        const how = await this.step(next, steps, context);
        if (how) moves[how] += 1;
        if (how === 'moved' && takesPlace) busy += 1;
      } catch (error) {
        if (context.signal.aborted || isNoNews(error, context.attempts)) throw error;
        return { ...moves, failure: error };
      }
    }
    return moves;
  }

  /** Undefined for a cluster that no revision takes further. */
  private async step(next: StandingCluster, steps: ClassSteps, context: ReconcileContext): Promise<Move | undefined> {
    const revision = await steps.nextOf(next);
    return revision === undefined ? undefined : this.moveOne(next, revision, context);
  }

  /** Tells one cluster to move, unless it was changed meanwhile: then the next pass looks at it anew. */
  private async moveOne({ cluster, state }: StandingCluster, to: number, context: ReconcileContext): Promise<Move> {
    const { name, namespace } = cluster.metadata;
    const fresh = await this.ports.clusters.find(name, namespace);
    const isSame = fresh?.metadata.uid === cluster.metadata.uid && fresh.spec.classRef?.revision === state.revision;
    if (!fresh || !isSame || !isMovable(fresh) || isPinned(fresh, state.newestRevision)) return 'changed';
    const revision = String(to);
    const { uid, resourceVersion } = fresh.metadata;
    const annotations = { [MOVE_ANNOTATION]: revision, [ROLLOUT_ANNOTATION]: revision };
    try {
      await this.ports.clusters.merge(name, namespace, { metadata: { uid, resourceVersion, annotations } });
      return 'moved';
    } catch (error) {
      if (hasCode(error, 'Conflict', 'NotFound')) return 'changed';
      if (!hasCode(error, 'InvalidSpec', 'Forbidden', 'BadRequest')) throw error;
      const on = to === state.newestRevision ? '' : `on the way, at revision ${to}: `;
      await this.tell(fresh, { ...state, refused: conditionMessage(`${on}${(error as Error).message}`) }, context);
      return 'refused';
    }
  }

  /** On the cluster, because its class names none. There the next pass over it reads it, and says it again. */
  private async tell(cluster: Cluster, state: ClassState, { traceId }: ReconcileContext): Promise<void> {
    const { clusters, events } = this.ports;
    try {
      const told = await saveStatusIfChanged(clusters, cluster, withClassState(cluster, state, this.now()));
      if (told === cluster) return;
      const message = `The move to revision ${state.newestRevision} of the class was refused: ${state.refused}`;
      events.record(told, { type: 'Warning', reason: 'ClassMoveRefused', message, traceId });
    } catch (error) {
      // It was changed meanwhile: the next refusal is told.
      if (!hasCode(error, 'Conflict', 'NotFound')) throw error;
    }
  }
}
