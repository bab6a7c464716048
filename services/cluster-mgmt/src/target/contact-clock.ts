interface Silence {
  readonly since: number;
  readonly lastMissedAt: number;
}

/**
 * Whoever is silent is looked at every few seconds. Where nothing was missed for so long another replica heard the cluster, which nobody tells
 * this one.
 */
const OVER_AFTER_MS = 5 * 60_000;
/** Where many are silent each waits for the looks at the others: ten seconds of one of sixteen places and more, taken three times. */
const OVER_AFTER_EACH_MS = 2000;

/** How long clusters have been silent, as this process saw it. Kept in memory: a restart gives every cluster a new grace time. */
export class ContactClock {
  private readonly silences = new Map<string, Silence>();

  constructor(
    private readonly graceMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The cluster answered. */
  heard(clusterUid: string): void {
    this.silences.delete(clusterUid);
  }

  /** The cluster did not answer; true when it has been so for longer than the grace time. */
  missed(clusterUid: string): boolean {
    const now = this.now();
    this.forgetOver(now);
    const since = this.silences.get(clusterUid)?.since ?? now;
    this.silences.set(clusterUid, { since, lastMissedAt: now });
    return now - since >= this.graceMs;
  }

  /** Clusters that were deleted while they were silent go as well. */
  private forgetOver(now: number): void {
    const overAfterMs = Math.max(OVER_AFTER_MS, this.silences.size * OVER_AFTER_EACH_MS);
    for (const [uid, { lastMissedAt }] of this.silences)
      if (now - lastMissedAt > overAfterMs) this.silences.delete(uid);
  }
}
