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
