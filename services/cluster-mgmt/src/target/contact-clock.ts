/** How long clusters have been silent, as this process saw it. Kept in memory: a restart gives every cluster a new grace time. */
export class ContactClock {
  private readonly silentSince = new Map<string, number>();

  constructor(
    private readonly graceMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The cluster answered. */
  heard(clusterUid: string): void {
    this.silentSince.delete(clusterUid);
  }

  /** The cluster did not answer; true when it has been so for longer than the grace time. */
  missed(clusterUid: string): boolean {
    const since = this.silentSince.get(clusterUid) ?? this.now();
    this.silentSince.set(clusterUid, since);
    return this.now() - since >= this.graceMs;
  }
}
