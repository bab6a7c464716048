import type { ClusterKey } from '../memory/remembered-document.js';
import type { Counts } from '../report/assessment.js';

/** Numbers at a time. */
export interface HistoryPoint {
  readonly at: Date;
  /** Rules by how they stand. */
  readonly rules: Counts;
  /** Controls by how they stand, of each framework. */
  readonly frameworks: Readonly<Record<string, Counts>>;
}

/** Numbers over time; the cluster is empty for a Project as a whole. */
export abstract class HistoryRepository {
  abstract last(key: ClusterKey): Promise<HistoryPoint | undefined>;
  /** Oldest first; the newest `limit`. */
  abstract list(key: ClusterKey, limit: number): Promise<readonly HistoryPoint[]>;
  /** Adds a point, in place of those at or after `since`. */
  abstract put(key: ClusterKey, point: HistoryPoint, since: Date): Promise<void>;
  /** Idempotent. */
  abstract remove(key: ClusterKey): Promise<void>;
  /** Removes points of longer ago, by the clock that is one for all replicas. */
  abstract removeOlder(ageMs: number): Promise<void>;
}
