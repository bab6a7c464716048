import type { Dashboard } from '../model.js';
import { instant, percentiles, query } from '../queries.js';

// Every replica tells the same of the fleet: the highest is as good as any.
const CLUSTERS =
  'max by (namespace, health, provider, version) (crate_clusters{provider=~"$provider",version=~"$version"})';

/** How clusters stand, and how they come and go. */
export const FLEET: Dashboard = {
  uid: 'crate-fleet',
  title: 'Crate / Fleet',
  description: 'Clusters by how they stand, their journeys, deletions and drift.',
  variables: [
    { name: 'provider', label: 'Provider', query: 'crate_clusters, provider' },
    { name: 'version', label: 'Kubernetes', query: 'crate_clusters, version' },
  ],
  rows: [
    {
      title: 'Now',
      panels: [
        {
          type: 'stat',
          title: 'Clusters',
          description: 'Clusters that are there, whatever their state.',
          unit: 'short',
          width: 4,
          height: 5,
          queries: [instant(`sum(${CLUSTERS})`, 'clusters')],
        },
        {
          type: 'stat',
          title: 'Need a person',
          description: 'Clusters that are Failing or Blocked: they do not come right by waiting.',
          unit: 'short',
          width: 4,
          height: 5,
          thresholds: [{ value: 1, color: 'orange' }],
          queries: [
            instant(
              `sum(max by (namespace, health, provider, version) (crate_clusters{health=~"Failing|Blocked",provider=~"$provider",version=~"$version"})) or vector(0)`,
              'clusters',
            ),
          ],
        },
        {
          type: 'stat',
          title: 'Drifted',
          description: 'Clusters whose cloud is not as a plan would put it back.',
          unit: 'short',
          width: 4,
          height: 5,
          thresholds: [{ value: 1, color: 'yellow' }],
          queries: [instant('max(crate_clusters_drifted)', 'clusters')],
        },
        {
          type: 'stat',
          title: 'Deletions blocked',
          description: 'Deletions that something has been in the way of for longer than people should wait.',
          unit: 'short',
          width: 4,
          height: 5,
          thresholds: [{ value: 1, color: 'red' }],
          queries: [instant('max(crate_blocked_deletions)', 'deletions')],
          alerts: ['CrateDeletionBlocked'],
        },
        {
          type: 'stat',
          title: 'Oldest deletion',
          description: 'How long the deletion under way that began first has taken so far; 0 when none is.',
          unit: 's',
          width: 4,
          height: 5,
          thresholds: [{ value: 3600, color: 'orange' }],
          queries: [instant('max(crate_cluster_oldest_deletion_age_seconds)', 'age')],
          alerts: ['CrateDeletionStuck'],
        },
        {
          type: 'stat',
          title: 'Oldest cluster never ready',
          description:
            'How long the cluster has been waited for that was asked for first and was never Ready; 0 when there is none.',
          unit: 's',
          width: 4,
          height: 5,
          thresholds: [{ value: 1800, color: 'orange' }],
          queries: [instant('max(crate_cluster_oldest_creation_age_seconds)', 'age')],
          alerts: ['CrateCreationStuck'],
        },
      ],
    },
    {
      title: 'How they stand',
      panels: [
        {
          type: 'timeseries',
          title: 'Clusters by health',
          description: 'The most pressing that fits each cluster; the words are those of the console.',
          unit: 'short',
          width: 12,
          isStacked: true,
          queries: [query(`sum by (health) (${CLUSTERS})`, '{{health}}')],
        },
        {
          type: 'timeseries',
          title: 'Clusters under way, by phase',
          description: 'First phase of the journey that is not done. A phase that grows is where things wait.',
          unit: 'short',
          width: 12,
          isStacked: true,
          queries: [query('max by (phase) (crate_clusters_in_phase)', '{{phase}}')],
        },
        {
          type: 'bargauge',
          title: 'Clusters by Kubernetes version',
          description: 'Of the versions that clusters run.',
          unit: 'short',
          queries: [instant(`sum by (version) (${CLUSTERS})`, '{{version}}')],
        },
        {
          type: 'bargauge',
          title: 'Clusters by provider',
          description: 'Of the accounts that pay for them.',
          unit: 'short',
          queries: [instant(`sum by (provider) (${CLUSTERS})`, '{{provider}}')],
        },
        {
          type: 'table',
          title: 'Conditions that are not True',
          description: 'Clusters by condition of their status that is False or Unknown.',
          unit: 'short',
          queries: [instant('max by (condition, status) (crate_cluster_conditions{status!="True"}) > 0')],
        },
        {
          type: 'timeseries',
          title: 'Nodes',
          description: 'Nodes that are ready, beside those that clusters ask for.',
          unit: 'short',
          width: 12,
          queries: [query('max by (state) (crate_cluster_nodes)', '{{state}}')],
        },
        {
          type: 'timeseries',
          title: 'Infrastructures with drift',
          description: 'By how their last comparison with the cloud went; exempt: not to be compared now.',
          unit: 'short',
          width: 12,
          queries: [query('max by (state) (crate_drift_infrastructures)', '{{state}}')],
          alerts: ['CrateDriftChecksFailing', 'CrateDriftChecksStale'],
        },
      ],
    },
    {
      title: 'Journeys and objectives',
      panels: [
        {
          type: 'timeseries',
          title: 'Time to a cluster',
          description:
            'From the creation, or the end of a pause, until it is Ready for the first time, of six hours each. Promised: 95 % within 30 minutes.',
          unit: 's',
          queries: percentiles('crate_cluster_time_to_ready_seconds', ''),
          thresholds: [{ value: 1800, color: 'red' }],
          alerts: ['CrateTimeToClusterBudgetBurn'],
        },
        {
          type: 'timeseries',
          title: 'Time of deletions',
          description:
            'From the deletion until nothing is left in the cloud, of six hours each. Promised: 95 % within an hour.',
          unit: 's',
          queries: percentiles('crate_cluster_deletion_seconds', ''),
          thresholds: [{ value: 3600, color: 'red' }],
          alerts: ['CrateDeletionCompletionBudgetBurn'],
        },
        {
          type: 'bargauge',
          title: 'Error budget left',
          description: 'Of 30 days: 1 is all of it, 0 none. Below 0 an objective was missed.',
          unit: 'percentunit',
          min: 0,
          max: 1,
          queries: [instant('crate:slo_error_budget_remaining:ratio', '{{slo}}')],
        },
        {
          type: 'timeseries',
          title: 'Waivers and violations of policies',
          description: 'Violations in what is there, by what they lead to; a waiver keeps one from being a denial.',
          unit: 'short',
          width: 12,
          queries: [
            query('max by (level, effect) (crate_policy_violations)', '{{level}} {{effect}}'),
            query('max by (state) (crate_policy_waivers)', 'waivers {{state}}'),
          ],
        },
        {
          type: 'timeseries',
          title: 'Orphaned cloud resources',
          description: 'Resources with tags of Crate that belong to nobody, by what is decided about them.',
          unit: 'short',
          width: 12,
          queries: [query('max by (decision) (crate_orphaned_resources)', '{{decision}}')],
          alerts: ['CrateOrphanedResources'],
        },
      ],
    },
  ],
};
