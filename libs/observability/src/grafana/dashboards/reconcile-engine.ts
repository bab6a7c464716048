import type { Dashboard } from '../model.js';
import { percentile, query, RATE, SERVICE } from '../queries.js';

const CHOSEN = '{service=~"$service",reconciler=~"$reconciler"}';

function chosen(more: string): string {
  return `{service=~"$service",reconciler=~"$reconciler",${more}}`;
}

/** Loops: what waits, how long passes take, what becomes of them. */
export const RECONCILE_ENGINE: Dashboard = {
  uid: 'crate-reconcile-engine',
  title: 'Crate / Reconcile engine',
  description: 'Queues of work, passes and their outcomes, leases, and the store that they write to.',
  variables: [
    SERVICE,
    { name: 'reconciler', label: 'Reconciler', query: 'crate_reconcile_queue_depth{service=~"$service"}, reconciler' },
  ],
  rows: [
    {
      title: 'What waits',
      panels: [
        {
          type: 'timeseries',
          title: 'Oldest wait',
          description:
            'How long the key that waits longest has been due. More than seconds: loops do not keep up, or are down.',
          unit: 's',
          queries: [
            query(
              `max by (service, reconciler) (crate_reconcile_oldest_wait_seconds${CHOSEN})`,
              '{{service}} {{reconciler}}',
            ),
          ],
          thresholds: [{ value: 30, color: 'orange' }],
          alerts: ['CrateReconcileQueueStuck'],
        },
        {
          type: 'timeseries',
          title: 'Keys that are due',
          description: 'Of all replicas together.',
          unit: 'short',
          queries: [
            query(
              `max by (service, reconciler) (crate_reconcile_queue_depth${chosen('state="due"')})`,
              '{{service}} {{reconciler}}',
            ),
          ],
        },
        {
          type: 'timeseries',
          title: 'Passes under way',
          description: 'Keys under lease. A line that stays at the limit of a loop says that it has too few places.',
          unit: 'short',
          queries: [
            query(
              `max by (service, reconciler) (crate_reconcile_queue_depth${chosen('state="leased"')})`,
              '{{service}} {{reconciler}}',
            ),
          ],
        },
        {
          type: 'timeseries',
          title: 'Wait before a pass, p99',
          description: 'Promised: 99 % of passes begin within 30 s of being due.',
          unit: 's',
          width: 12,
          queries: [percentile(0.99, 'crate_reconcile_wait_seconds', CHOSEN, 'reconciler')],
          thresholds: [{ value: 30, color: 'red' }],
          alerts: ['CrateReconcileFreshnessBudgetBurn'],
        },
        {
          type: 'timeseries',
          title: 'Duration of passes, p95',
          description: 'Passes that wait for the outside world are long; those of views are not.',
          unit: 's',
          width: 12,
          queries: [percentile(0.95, 'crate_reconcile_pass_seconds', CHOSEN, 'reconciler')],
        },
      ],
    },
    {
      title: 'What becomes of passes',
      panels: [
        {
          type: 'timeseries',
          title: 'Passes by outcome',
          description: 'settled: nothing to do. waiting: something is not ready yet. failed: see the next picture.',
          unit: 'ops',
          isStacked: true,
          queries: [
            query(`sum by (outcome) (rate(crate_reconcile_pass_seconds_count${CHOSEN}[${RATE}]))`, '{{outcome}}'),
          ],
        },
        {
          type: 'timeseries',
          title: 'Failed passes by reason',
          description: 'Code of the error, or its more exact reason.',
          unit: 'ops',
          isStacked: true,
          queries: [
            query(
              `sum by (reconciler, reason) (rate(crate_reconcile_pass_seconds_count${chosen('outcome="failed"')}[${RATE}]))`,
              '{{reconciler}} {{reason}}',
            ),
          ],
          alerts: ['CrateReconcileFailing'],
        },
        {
          type: 'timeseries',
          title: 'Waiting passes by reason',
          description: 'What is waited for.',
          unit: 'ops',
          isStacked: true,
          queries: [
            query(
              `sum by (reason) (rate(crate_reconcile_pass_seconds_count${chosen('outcome="waiting"')}[${RATE}]))`,
              '{{reason}}',
            ),
          ],
        },
        {
          type: 'timeseries',
          title: 'Retries',
          description: 'Passes that follow a failed pass of the same key.',
          unit: 'ops',
          queries: [
            query(`sum by (reconciler) (rate(crate_reconcile_retries_total${CHOSEN}[${RATE}]))`, '{{reconciler}}'),
          ],
        },
        {
          type: 'timeseries',
          title: 'Leases lost and taken over',
          description:
            'Lost: a pass was aborted because another replica has the key. Taken over: a holder died in the middle.',
          unit: 'ops',
          queries: [
            query(`sum by (service) (rate(crate_reconcile_lost_leases_total${CHOSEN}[${RATE}]))`, '{{service}} lost'),
            query(
              `sum by (service) (rate(crate_reconcile_takeovers_total${CHOSEN}[${RATE}]))`,
              '{{service}} taken over',
            ),
          ],
          alerts: ['CrateLeasesLost'],
        },
        {
          type: 'timeseries',
          title: 'Event loop in use',
          description:
            'Share of time in which a process is busy. Near 1 it takes up nothing in time; more replicas share the work.',
          unit: 'percentunit',
          queries: [query('max by (service) (crate_event_loop_utilization_ratio{service=~"$service"})', '{{service}}')],
          alerts: ['CrateEventLoopBusy'],
        },
      ],
    },
    {
      title: 'The store',
      panels: [
        {
          type: 'timeseries',
          title: 'Commit latency',
          description: 'p99 of the transactions that write objects.',
          unit: 's',
          queries: [percentile(0.99, 'crate_store_commit_seconds', '{service=~"$service"}', 'service')],
          alerts: ['CrateStoreCommitsSlow'],
        },
        {
          type: 'timeseries',
          title: 'Watch lag',
          description: 'Committed changes that watches were not told of yet.',
          unit: 'short',
          queries: [query('max by (service) (crate_store_watch_lag_changes{service=~"$service"})', '{{service}}')],
          alerts: ['CrateWatchLagging'],
        },
        {
          type: 'timeseries',
          title: 'Length of the change log',
          description: 'Changes that watches may resume from; older ones are 410 Gone.',
          unit: 'short',
          queries: [query('max by (service) (crate_store_change_log_changes{service=~"$service"})', '{{service}}')],
        },
      ],
    },
  ],
};
