import type { LeaseReport, QueueReport, ReplicaReport } from '@crate/api';
import type { HeldKey, WorkOverview, WorkTally } from '@crate/work-queue';

/** Leases that one answer names. */
export const MOST_LEASES = 100;

/** What the queue of a service holds. */
export interface WorkReport {
  readonly queues: readonly QueueReport[];
  readonly leases: readonly HeldKey[];
  readonly omittedLeases: number;
}

/**
 * Of all reconcilers that this process has, those without keys too. The table may have keys of others, which only another release has:
 * its replicas tell of those, and once there are none any more nobody waits for them.
 */
export async function workReport(overview: WorkOverview, reconcilers: readonly string[]): Promise<WorkReport> {
  const [tally, { held, total }] = [await overview.tally(), await overview.leases(MOST_LEASES)];
  return {
    queues: [...reconcilers].sort().map((name) => queueReport(name, tally.get(name))),
    leases: held,
    omittedLeases: total - held.length,
  };
}

function queueReport(reconciler: string, tally: WorkTally | undefined): QueueReport {
  const { depth, due, oldestWaitMs, inWork, retrying, mostAttempts } = { ...NOTHING, ...tally };
  const oldestWaitSeconds = Math.round(oldestWaitMs / 100) / 10;
  return { reconciler, depth, due, oldestWaitSeconds, inWork, retrying, mostAttempts };
}

const NOTHING = { depth: 0, due: 0, oldestWaitMs: 0, inWork: 0, retrying: 0, mostAttempts: 0 };

const ALIVE: readonly ReplicaReport['state'][] = ['Ready', 'NotReady'];

/** A lease is live while it lasts and its holder says that it is there; whose holder nobody knows, while it lasts. */
export function leaseReport(held: HeldKey, replicas: readonly ReplicaReport[]): LeaseReport {
  const { reconciler, key, epoch, holder, since, until, isCurrent } = held;
  const known = replicas.filter(({ name }) => name === holder);
  const isThere = known.length === 0 || known.some(({ state }) => ALIVE.includes(state));
  const lastSeen = known
    .map((replica) => replica.lastSeen)
    .sort()
    .at(-1);
  return {
    kind: 'Work',
    task: reconciler,
    ...(key.namespace === '' ? {} : { namespace: key.namespace }),
    name: key.name,
    holder: holder ?? 'unknown',
    ...(since ? { since: since.toISOString() } : {}),
    until: until.toISOString(),
    ...(lastSeen === undefined ? {} : { lastSeen }),
    epoch: String(epoch),
    state: isCurrent && isThere ? 'live' : 'orphaned',
  };
}
