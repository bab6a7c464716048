import type { Metrics } from '@crate/telemetry';
import { SILENT_PERSON_MS } from './lock-view.js';
import type { StateLocks } from './state-locks.js';

/** Tells how many locks of people are orphaned; those of runs are taken over. Every replica tells the same. */
export function observeOrphanedLocks(metrics: Metrics, locks: Pick<StateLocks, 'countSilent'>): void {
  metrics.gauge({
    name: 'crate_orphaned_state_locks',
    help: 'Locks on Terraform states whose holders, people, were not heard of for an hour; they keep changes of clusters waiting.',
    collect: async (gauge) => gauge.set(await locks.countSilent(SILENT_PERSON_MS)),
  });
}
