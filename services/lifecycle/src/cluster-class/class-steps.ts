import type { ClusterClassRevision } from '@crate/api';
import { isNextMinor } from '../cluster/cluster.versions.js';
import { versionIn, type ClassPreview, type StandingCluster } from './class-state.js';

/** Where a rollout takes clusters next. */
export class ClassSteps {
  /** `kept`: the revisions of the class, oldest first. */
  constructor(
    private readonly kept: readonly ClusterClassRevision[],
    private readonly preview: ClassPreview,
  ) {}

  /**
   * The newest revision, or for a cluster that this is too far for the newest of those before that brings it to the next minor version;
   * undefined when there is none, or it is on its way there. Admission would refuse any other, which is no failure.
   */
  async nextOf({ cluster, state }: StandingCluster): Promise<number | undefined> {
    if (state.distance === undefined) return state.newestRevision;
    for (const revision of this.kept.toReversed()) {
      const number = revision.spec.revision;
      if (number >= state.newestRevision || number <= (state.revision ?? 0)) continue;
      const { changes, refusal } = await this.preview.stateUnder(cluster, this.preview.target(revision));
      const version = versionIn(changes);
      if (refusal === undefined && version !== undefined && isNextMinor(version, cluster)) return number;
    }
    return undefined;
  }
}
