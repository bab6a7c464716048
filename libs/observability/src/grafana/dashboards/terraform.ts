import type { Dashboard } from '../model.js';
import { instant, percentile, query, RATE } from '../queries.js';

const CHOSEN = '{kind=~"$kind"}';

/** Runs of Terraform and of engines. */
export const TERRAFORM: Dashboard = {
  uid: 'crate-terraform',
  title: 'Crate / Terraform and engines',
  description: 'Runs by what they are for and how they end, places to run in, locks on states, sweeps and drift.',
  variables: [{ name: 'kind', label: 'Run', query: 'crate_terraform_run_seconds_count, kind' }],
  rows: [
    {
      title: 'Terraform',
      panels: [
        {
          type: 'timeseries',
          title: 'Runs an hour by outcome',
          description: 'By what they were for and how they ended.',
          unit: 'short',
          isStacked: true,
          queries: [
            query(
              `sum by (kind, outcome) (increase(crate_terraform_run_seconds_count${CHOSEN}[1h]))`,
              '{{kind}} {{outcome}}',
            ),
          ],
          alerts: ['CrateTerraformFailing'],
        },
        {
          type: 'timeseries',
          title: 'Duration of runs, p95',
          description: 'From the runtime being opened to the state being stored, of six hours each.',
          unit: 's',
          queries: [percentile(0.95, 'crate_terraform_run_seconds', CHOSEN, 'kind')],
        },
        {
          type: 'timeseries',
          title: 'Places to run in',
          description: 'Runs under way and waiting, beside how many places there are, of all replicas.',
          unit: 'short',
          queries: [
            query('sum by (state) (crate_terraform_runs)', '{{state}}'),
            query('sum(crate_terraform_slots)', 'places'),
          ],
          alerts: ['CrateTerraformSlotsExhausted'],
        },
        {
          type: 'timeseries',
          title: 'Cloud resources changed an hour',
          description: 'By what plans that were applied in full did to them.',
          unit: 'short',
          isStacked: true,
          queries: [query('sum by (action) (increase(crate_terraform_resources_changed_total[1h]))', '{{action}}')],
        },
        {
          type: 'timeseries',
          title: 'Age of the oldest lock on a state',
          description: 'Of runs and of people. While it is held nothing else is done with the cluster.',
          unit: 's',
          queries: [query('max by (holder) (crate_state_lock_oldest_age_seconds)', '{{holder}}')],
          alerts: ['CrateStateLockHeldLong', 'CrateStateLockOrphaned'],
        },
        {
          type: 'stat',
          title: 'Damaged states',
          description:
            'States that are not what was stored last. Nothing is done with them until a person has decided.',
          unit: 'short',
          thresholds: [{ value: 1, color: 'red' }],
          queries: [instant('sum(max by (namespace, service, reason) (crate_damaged_states))', 'states')],
          alerts: ['CrateStateDamaged'],
        },
      ],
    },
    {
      title: 'Engines',
      panels: [
        {
          type: 'timeseries',
          title: 'Engine runs an hour by outcome',
          description: 'What bootstraps Kubernetes on machines.',
          unit: 'short',
          isStacked: true,
          queries: [
            query('sum by (kind, outcome) (increase(crate_engine_run_seconds_count[1h]))', '{{kind}} {{outcome}}'),
          ],
          alerts: ['CrateEngineRunsFailing'],
        },
        {
          type: 'timeseries',
          title: 'Places for engines',
          description: 'Runs under way and waiting, beside how many places there are, of all replicas.',
          unit: 'short',
          queries: [
            query('sum by (state) (crate_engine_runs)', '{{state}}'),
            query('sum(crate_engine_slots)', 'places'),
          ],
        },
        {
          type: 'timeseries',
          title: 'Duration of engine runs, p95',
          description: 'By what they were for, of six hours each.',
          unit: 's',
          queries: [percentile(0.95, 'crate_engine_run_seconds', '', 'kind')],
        },
      ],
    },
    {
      title: 'The cloud',
      panels: [
        {
          type: 'timeseries',
          title: 'Oldest comparison with the cloud',
          description: 'How long ago the Infrastructure that waits longest was compared.',
          unit: 's',
          queries: [query('max(crate_drift_oldest_check_age_seconds)', 'age')],
          alerts: ['CrateDriftChecksStale'],
        },
        {
          type: 'timeseries',
          title: 'Sweeps an hour',
          description: 'Looks through accounts for resources that belong to nobody.',
          unit: 'short',
          queries: [query('sum by (outcome) (increase(crate_sweeps_total[1h]))', '{{outcome}}')],
          alerts: ['CrateSweepFailing'],
        },
        {
          type: 'timeseries',
          title: 'Orphans removed',
          description: 'Abandoned cloud resources that sweeps have removed, an hour.',
          unit: 'short',
          queries: [query(`sum(increase(crate_orphans_removed_total[1h])) or vector(0)`, 'removed')],
        },
        {
          type: 'timeseries',
          title: 'Waits for a place, by reconciler',
          description: 'Passes that wait for Terraform or for an engine.',
          unit: 'ops',
          width: 24,
          queries: [
            query(
              `sum by (reconciler, reason) (rate(crate_reconcile_pass_seconds_count{outcome="waiting",reconciler=~"infrastructure|kubernetes-cluster"}[${RATE}]))`,
              '{{reconciler}} {{reason}}',
            ),
          ],
        },
      ],
    },
  ],
};
