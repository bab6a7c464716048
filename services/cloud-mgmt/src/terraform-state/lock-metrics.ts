import type { Metrics } from '@crate/telemetry';
import { SILENT_PERSON_MS } from './lock-view.js';
import type { StateLocks } from './state-locks.js';

/** Tells how many locks of people are orphaned; those of runs are taken over. Every replica tells the same. */
export function observeOrphanedLocks(metrics: Metrics, locks: Pick<StateLocks, 'countSilent' | 'oldestMs'>): void {
  metrics.gauge({
    name: 'crate_orphaned_state_locks',
    help: 'Locks on Terraform states whose holders, people, were not heard of for an hour; they keep changes of clusters waiting.',
    collect: async (gauge) => gauge.set(await locks.countSilent(SILENT_PERSON_MS)),
  });
  metrics.gauge({
    name: 'crate_state_lock_oldest_age_seconds',
    help: 'How long the oldest lock on a Terraform state has been held, by a run or a person; 0 when none is held.',
    labels: ['holder'],
    collect: async (gauge) => {
      for (const holder of ['run', 'person'] as const) gauge.set((await locks.oldestMs(holder)) / 1000, { holder });
    },
  });
}
