import type { PostgresResourceStore } from '@crate/resource-store';
import type { Metrics } from '@crate/telemetry';
import { sharedSource } from './shared-source.js';

const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Tells how long commits take; to be called with the seconds of each, and with how it ended. */
export function commitTimes(metrics: Metrics): (seconds: number, outcome: 'committed' | 'failed') => void {
  const times = metrics.histogram({
    name: 'crate_store_commit_seconds',
    help: 'Time of the transactions that write objects, many writes in one; by whether they were committed.',
    labels: ['outcome'],
    buckets: COMMIT_BUCKETS,
  });
  for (const outcome of ['committed', 'failed']) times.start({ outcome });
  return (seconds, outcome) => times.observe(seconds, { outcome });
}

/** Tells how long the log of changes is, and how far watches of this process are behind it. */
export function observeStore(metrics: Metrics, store: Pick<PostgresResourceStore, 'observe'>): void {
  const look = sharedSource(() => store.observe());
  metrics.gauge({
    name: 'crate_store_change_log_changes',
    help: 'Changes that are kept for watches to resume from and lists to continue; every replica tells the same.',
    collect: async (gauge) => {
      const { head, floor } = await look();
      gauge.set(head - floor);
    },
  });
  metrics.gauge({
    name: 'crate_store_watch_lag_changes',
    help: 'Committed changes that watches of this process were not told of yet.',
    collect: async (gauge) => {
      const { head, toldTo } = await look();
      gauge.set(Math.max(0, head - toldTo));
    },
  });
}
