/** Reads the time that all replicas go by, and gives what tells how it goes on from there, without asking again. */
export type SharedClock = () => Promise<() => Date>;

/**
 * The clock of the database. What one replica has dated another one goes on with: by the clocks of their hosts minutes would be over at once,
 * or never. What counts from a deletion's request, as the patience with machines, goes by the clocks of hosts: the request is dated by one.
 */
export function sharedClock(database: { now(): Promise<Date> }): SharedClock {
  return async () => {
    const at = (await database.now()).getTime();
    const readAt = performance.now();
    return () => new Date(at + performance.now() - readAt);
  };
}

/** The clocks that an object's status goes by. */
export interface Clocks {
  /** Default: that of this host. */
  readonly now?: () => Date;
  /** Dates what is in the way of a deletion, as phases count it by. Default, for tests: `now`. */
  readonly sharedClock?: SharedClock;
}

/** What tells the time for an object: while it is being deleted the one that all replicas go by, where there is one. */
export async function clockFor(
  { metadata }: { readonly metadata: { readonly deletionTimestamp?: string | undefined } },
  { now = () => new Date(), sharedClock: shared }: Clocks,
): Promise<() => Date> {
  return metadata.deletionTimestamp === undefined || !shared ? now : shared();
}
