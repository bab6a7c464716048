/** How many runs of a cluster are kept, with their logs: enough to see what changed since it last worked. */
export const KEPT_RUNS = 10;
