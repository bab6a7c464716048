/** The date that ids of keys begin with, such as 20260131T235959123Z. */
const DATED = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/;

/**
 * Says which of a service's keys wraps: the newest one that has been there for a while. Files come to replicas at different times, and whoever
 * lacks one cannot read what the others have wrapped with it.
 */
export class KeySettling {
  private since: ReadonlyMap<string, number> | undefined;

  constructor(
    private readonly settleMs: number,
    private readonly now: () => number,
  ) {}

  /** To be asked at every look at the keys. While none has settled, the oldest: the others may have been added since. */
  wrapping(keyIds: readonly string[]): string | undefined {
    const now = this.now();
    // What is new to a process that has just started may be old to others: then the date counts.
    const firstSeen = (id: string): number => (this.since ? now : Math.min(dateOf(id) ?? 0, now));
    const since = new Map(keyIds.map((id) => [id, this.since?.get(id) ?? firstSeen(id)]));
    this.since = since;
    const ids = [...keyIds].sort();
    return ids.findLast((id) => now - (since.get(id) ?? now) >= this.settleMs) ?? ids[0];
  }
}

function dateOf(keyId: string): number | undefined {
  const [, year, month, day, hour, minute, second, millis] = DATED.exec(keyId) ?? [];
  if (year === undefined) return undefined;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`);
}
