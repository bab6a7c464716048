import { findCondition, isConditionTrue, type Cluster } from '@crate/api';
import type { Histogram, Metrics } from '@crate/telemetry';

/** From a cluster of the sandbox to one that a cloud takes two hours for. */
const BUCKETS = [5, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 2700, 3600, 7200];

const SECOND_MS = 1_000;

/** How long the two journeys of clusters take: from being asked for to Ready, and from the deletion to being gone. */
export class JourneyMetrics {
  private readonly ready: Histogram;
  private readonly deleted: Histogram;

  constructor(
    metrics: Metrics,
    private readonly now: () => number = Date.now,
  ) {
    this.ready = metrics.histogram({
      name: 'crate_cluster_time_to_ready_seconds',
      help: 'Time from the creation of a cluster, or the end of its last pause, until it was Ready for the first time.',
      buckets: BUCKETS,
    });
    this.deleted = metrics.histogram({
      name: 'crate_cluster_deletion_seconds',
      help: 'Time from the deletion of a cluster until nothing of it was left.',
      buckets: BUCKETS,
    });
  }

  /** Takes notice of how a pass changed a cluster. */
  passed(before: Cluster, after: Cluster): void {
    const { conditions } = after.status ?? {};
    if (!isConditionTrue(conditions, 'Ready') || !wasNeverReady(before)) return;
    this.ready.observe(this.secondsSince(awaitedSince(after)));
  }

  /** Takes notice of a cluster of which nothing is left. */
  gone({ metadata }: Cluster): void {
    this.deleted.observe(this.secondsSince(metadata.deletionTimestamp));
  }

  private secondsSince(timestamp: string | undefined): number {
    return timestamp === undefined ? 0 : Math.max(0, this.now() - Date.parse(timestamp)) / SECOND_MS;
  }
}

/** Since when somebody waits for a cluster that was never Ready: its creation, or the end of its last pause. */
export function awaitedSince({ metadata, status }: Cluster): string {
  const paused = findCondition(status?.conditions, 'Paused');
  // Stated by the first pass: it never was paused.
  const isSinceFirstPass =
    paused?.lastTransitionTime === findCondition(status?.conditions, 'Deleting')?.lastTransitionTime;
  return paused?.status === 'False' && !isSinceFirstPass ? paused.lastTransitionTime : metadata.creationTimestamp;
}

/**
 * Whether nobody could have used it yet. The first pass stated both conditions at one time, and Deleting has not moved since: when Ready
 * has not either, it was never True.
 */
export function wasNeverReady({ status }: Cluster): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  const deleting = findCondition(status?.conditions, 'Deleting');
  if (!ready || !deleting) return ready === undefined;
  return ready.status === 'False' && ready.lastTransitionTime === deleting.lastTransitionTime;
}
