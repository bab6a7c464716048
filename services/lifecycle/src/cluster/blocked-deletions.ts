import type { Cluster } from '@crate/api';
import { findCondition } from '@crate/api';
import { DELETION_BLOCKED } from '@crate/reconcile';
import type { Metrics } from '@crate/telemetry';

/** A cluster that is being deleted is looked at far more often; by now another replica does so, or it is gone. */
const FORGET_AFTER_MS = 2 * 60_000;

/** Deletions that something has been in the way of for too long, as this process last saw them. */
export class BlockedDeletions {
  private readonly seenAt = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Takes notice of how a pass left a cluster. */
  note({ metadata, status }: Cluster): void {
    const isBlocked = findCondition(status?.conditions, 'Deleting')?.reason === DELETION_BLOCKED;
    if (isBlocked) this.seenAt.set(metadata.uid, this.now());
    else this.seenAt.delete(metadata.uid);
  }

  get count(): number {
    for (const [uid, at] of this.seenAt) if (this.now() - at > FORGET_AFTER_MS) this.seenAt.delete(uid);
    return this.seenAt.size;
  }

  /** Tells how many there are. */
  observe(metrics: Metrics): void {
    metrics.gauge({
      name: 'crate_blocked_deletions',
      help: 'Deletions of clusters that something has been in the way of for longer than people should wait.',
      collect: (gauge) => gauge.set(this.count),
    });
  }
}
