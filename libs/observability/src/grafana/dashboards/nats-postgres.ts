import type { Dashboard } from '../model.js';
import { instant, percentile, query, RATE, SERVICE } from '../queries.js';
import { PROCESSES } from '../rows/processes.js';
import { SECRETS } from '../rows/secrets.js';

const CHOSEN = '{service=~"$service"}';

/** What every service stands on: its database, NATS, its own process, and its keys. */
export const NATS_POSTGRES: Dashboard = {
  uid: 'crate-nats-postgres',
  title: 'Crate / NATS, Postgres and processes',
  description:
    'Connections, calls between services, the database, the processes themselves, and what they keep secret.',
  variables: [SERVICE],
  rows: [
    {
      title: 'Postgres',
      panels: [
        {
          type: 'timeseries',
          title: 'Connections of pools',
          description: 'In use by each service, beside what it may open.',
          unit: 'short',
          queries: [
            query(
              `sum by (service) (crate_postgres_pool_connections{service=~"$service",state="in_use"})`,
              '{{service}}',
            ),
            query(`sum by (service) (crate_postgres_pool_limit${CHOSEN})`, '{{service}} limit'),
          ],
        },
        {
          type: 'timeseries',
          title: 'Waiting for a connection',
          description:
            'Statements and transactions. More than a moment: the pool is too small, or statements are slow.',
          unit: 'short',
          queries: [query(`max by (service) (crate_postgres_pool_waiting${CHOSEN})`, '{{service}}')],
          alerts: ['CratePostgresPoolExhausted'],
        },
        {
          type: 'timeseries',
          title: 'Longest transaction',
          description: 'The oldest that each service may see. A long one keeps dead rows alive.',
          unit: 's',
          queries: [query(`max by (service) (crate_postgres_longest_transaction_seconds${CHOSEN})`, '{{service}}')],
          alerts: ['CratePostgresLongTransaction'],
        },
        {
          type: 'timeseries',
          title: 'Connections to the server by state',
          description:
            'Of all databases, beside what the server takes. Each service sees its own by state, and those of others as other.',
          unit: 'short',
          queries: [
            query(`max by (service, state) (crate_postgres_connections${CHOSEN})`, '{{service}} {{state}}'),
            query(`max(crate_postgres_max_connections${CHOSEN})`, 'limit'),
          ],
          alerts: ['CratePostgresConnectionsHigh'],
        },
        {
          type: 'timeseries',
          title: 'Size of the database',
          description: 'On disk, of all services together where they share one.',
          unit: 'bytes',
          queries: [query(`max by (service) (crate_postgres_database_size_bytes${CHOSEN})`, '{{service}}')],
        },
        {
          type: 'timeseries',
          title: 'Looks at the database that failed',
          description: 'In two minutes. More than one, again and again: it does not answer.',
          unit: 'short',
          queries: [
            query(
              `max by (service) (increase(crate_metric_collection_failures_total{service=~"$service",metric="crate_postgres_database_size_bytes"}[2m]))`,
              '{{service}}',
            ),
          ],
          thresholds: [{ value: 1.5, color: 'red' }],
          alerts: ['CrateDatabaseUnreachable'],
        },
        {
          type: 'timeseries',
          title: 'Commits',
          description: 'Transactions that write objects, by whether they were committed.',
          unit: 'ops',
          queries: [
            query(
              `sum by (service, outcome) (rate(crate_store_commit_seconds_count${CHOSEN}[${RATE}]))`,
              '{{service}} {{outcome}}',
            ),
          ],
          alerts: ['CrateStoreCommitsSlow'],
        },
      ],
    },
    {
      title: 'NATS',
      panels: [
        {
          type: 'stat',
          title: 'Connected',
          description: 'Replicas of each service that are connected.',
          unit: 'short',
          queries: [instant(`sum by (service) (crate_nats_connected${CHOSEN})`, '{{service}}')],
          alerts: ['CrateNatsDisconnected'],
        },
        {
          type: 'timeseries',
          title: 'Round trip',
          description: 'From a process to the NATS server and back.',
          unit: 's',
          queries: [query(`max by (service) (crate_nats_rtt_seconds${CHOSEN})`, '{{service}}')],
        },
        {
          type: 'timeseries',
          title: 'Reconnects',
          description: 'Connections to NATS that were made again in 15 minutes.',
          unit: 'short',
          queries: [query(`sum by (service) (increase(crate_nats_reconnects_total${CHOSEN}[15m]))`, '{{service}}')],
          alerts: ['CrateNatsReconnecting'],
        },
        {
          type: 'timeseries',
          title: 'Calls by peer',
          description: 'Calls of a service to another, a second, without long polls.',
          unit: 'reqps',
          queries: [
            query(
              `sum by (service, peer) (rate(crate_nats_client_calls_total{service=~"$service",method!~"resources.watch|resources.readLog"}[${RATE}]))`,
              '{{service}} to {{peer}}',
            ),
          ],
        },
        {
          type: 'timeseries',
          title: 'Calls that end with an error',
          description:
            'By code. NotFound, Conflict and Abandoned (the caller waited no longer) are ordinary; Unavailable, Timeout and Invariant are not.',
          unit: 'reqps',
          isStacked: true,
          queries: [
            query(
              `sum by (service, peer, code) (rate(crate_nats_client_calls_total{service=~"$service",code!="OK"}[${RATE}]))`,
              '{{service}} to {{peer}} {{code}}',
            ),
          ],
          alerts: ['CrateServiceCallsFailing'],
        },
        {
          type: 'timeseries',
          title: 'Duration of calls, p99',
          description: 'As the caller has it, by peer.',
          unit: 's',
          queries: [percentile(0.99, 'crate_nats_client_call_duration_seconds', CHOSEN, 'peer')],
        },
        {
          type: 'timeseries',
          title: 'Duration of answers by method, p99',
          description: 'As the service has it that answers. The difference to the caller is NATS and queueing.',
          unit: 's',
          queries: [percentile(0.99, 'crate_nats_server_call_duration_seconds', CHOSEN, 'method')],
        },
        {
          type: 'timeseries',
          title: 'Answers by method',
          description: 'Calls that a service answers, a second.',
          unit: 'reqps',
          queries: [
            query(
              `sum by (service, method) (rate(crate_nats_server_calls_total${CHOSEN}[${RATE}]))`,
              '{{service}} {{method}}',
            ),
          ],
        },
        {
          type: 'timeseries',
          title: 'Under way',
          description: 'Calls, and polls that wait for something to happen.',
          unit: 'short',
          queries: [
            query(`sum by (service, kind) (crate_nats_client_calls_in_flight${CHOSEN})`, '{{service}} asks, {{kind}}'),
            query(
              `sum by (service, kind) (crate_nats_server_calls_in_flight${CHOSEN})`,
              '{{service}} answers, {{kind}}',
            ),
          ],
        },
      ],
    },
    PROCESSES,
    SECRETS,
  ],
};
