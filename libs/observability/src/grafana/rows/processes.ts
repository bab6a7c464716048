import type { Row } from '../model.js';
import { instant, query, RATE } from '../queries.js';

const CHOSEN = '{service=~"$service"}';

/** The processes of services: whether they run, what they use, and which build it is. */
export const PROCESSES: Row = {
  title: 'Processes',
  panels: [
    {
      type: 'stat',
      title: 'Replicas up',
      description: 'Processes that answer scrapes.',
      unit: 'short',
      queries: [instant('sum by (service) (up{job="crate"})', '{{service}}')],
      alerts: ['CrateServiceDown', 'CrateReplicaDown'],
    },
    {
      type: 'timeseries',
      title: 'CPU',
      description: 'Cores in use.',
      unit: 'short',
      queries: [query(`sum by (service) (rate(process_cpu_seconds_total${CHOSEN}[${RATE}]))`, '{{service}}')],
    },
    {
      type: 'timeseries',
      title: 'Memory',
      description: 'Resident, of the largest replica.',
      unit: 'bytes',
      queries: [query(`max by (service) (process_resident_memory_bytes${CHOSEN})`, '{{service}}')],
    },
    {
      type: 'timeseries',
      title: 'Garbage collection',
      description: 'Share of time.',
      unit: 'percentunit',
      queries: [query(`sum by (service) (rate(nodejs_gc_duration_seconds_sum${CHOSEN}[${RATE}]))`, '{{service}}')],
    },
    {
      type: 'timeseries',
      title: 'Event loop in use',
      description:
        'Share of time in which a process is busy. Near 1 it takes up nothing in time; more replicas share the work.',
      unit: 'percentunit',
      queries: [query(`max by (service) (crate_event_loop_utilization_ratio${CHOSEN})`, '{{service}}')],
      alerts: ['CrateEventLoopBusy'],
    },
    {
      type: 'timeseries',
      title: 'Starts',
      description: 'How often each process began anew in half an hour. More than three: it does not stay.',
      unit: 'short',
      queries: [
        query(
          'max by (service, instance) (changes(process_start_time_seconds{job="crate",service=~"$service"}[30m]))',
          '{{service}} {{instance}}',
        ),
      ],
      thresholds: [{ value: 4, color: 'orange' }],
      alerts: ['CrateServiceRestarting'],
    },
    {
      type: 'timeseries',
      title: 'Values that are old',
      description:
        'Looks that failed or took too long, in half an hour: pictures and alerts of such a metric show what was known last.',
      unit: 'short',
      queries: [
        query(
          `sum by (service, metric) (increase(crate_metric_collection_failures_total${CHOSEN}[30m]))`,
          '{{service}} {{metric}}',
        ),
      ],
      alerts: ['CrateMetricSourceFailing'],
    },
    {
      type: 'timeseries',
      title: 'Spans that were lost',
      description: 'In 15 minutes; there only where traces are sent to a collector. Nothing but traces has gaps.',
      unit: 'short',
      queries: [
        query(
          `sum by (service, reason) (increase(crate_telemetry_spans_dropped_total${CHOSEN}[15m]))`,
          '{{service}} {{reason}}',
        ),
      ],
      alerts: ['CrateSpansDropped'],
    },
    {
      type: 'table',
      title: 'Versions',
      description: 'Which build runs, and on which Node.js.',
      unit: 'short',
      queries: [instant(`count by (service, version, node_version) (crate_build_info${CHOSEN})`)],
    },
    {
      type: 'stat',
      title: 'A newer version is there',
      description: 'As the signed index of releases says; off where none is configured, or it has expired.',
      unit: 'bool_on_off',
      queries: [
        instant('max(crate_upgrade_available{security="true"})', 'that closes a hole'),
        instant('max(crate_upgrade_available{security="false"})', 'of another kind'),
      ],
      thresholds: [{ value: 1, color: 'orange' }],
      alerts: ['CrateSecurityUpgradeAvailable'],
    },
  ],
};
