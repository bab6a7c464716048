import type { Dashboard } from '../model.js';
import { percentile, percentiles, query, instant, RATE } from '../queries.js';
import { RULES } from '../rows/rules.js';

const CHOSEN = 'resource=~"$resource",verb=~"$verb"';
const NO_WATCHES = `{${CHOSEN},verb!~"watch|follow"}`;

/** The public API: rate, errors and duration. */
export const API: Dashboard = {
  uid: 'crate-api',
  title: 'Crate / API',
  description: 'Rate, errors and duration of the public API, its objectives and limits, and the policies behind it.',
  variables: [
    { name: 'resource', label: 'Resource', query: 'crate_http_requests_total, resource' },
    { name: 'verb', label: 'Verb', query: 'crate_http_requests_total{resource=~"$resource"}, verb' },
  ],
  rows: [
    {
      title: 'Objectives',
      panels: [
        {
          type: 'stat',
          title: 'Availability, 30 days',
          description: 'Share of requests that were not answered with 5xx. Promised: 99.9 %.',
          unit: 'percentunit',
          width: 6,
          height: 5,
          queries: [instant('1 - crate:slo_errors:ratio_rate30d{slo="api-availability"}', 'availability')],
          alerts: ['CrateApiAvailabilityBudgetBurn'],
        },
        {
          type: 'stat',
          title: 'Reads within 0.5 s, 30 days',
          description: 'Promised: 99 %.',
          unit: 'percentunit',
          width: 6,
          height: 5,
          queries: [instant('1 - crate:slo_errors:ratio_rate30d{slo="api-read-latency"}', 'reads')],
          alerts: ['CrateApiReadLatencyBudgetBurn'],
        },
        {
          type: 'stat',
          title: 'Writes within 1 s, 30 days',
          description: 'Promised: 99 %.',
          unit: 'percentunit',
          width: 6,
          height: 5,
          queries: [instant('1 - crate:slo_errors:ratio_rate30d{slo="api-write-latency"}', 'writes')],
          alerts: ['CrateApiWriteLatencyBudgetBurn'],
        },
        {
          type: 'bargauge',
          title: 'Error budget left',
          description: 'Of 30 days.',
          unit: 'percentunit',
          width: 6,
          height: 5,
          min: 0,
          max: 1,
          queries: [instant('crate:slo_error_budget_remaining:ratio{slo=~"api-.*"}', '{{slo}}')],
        },
        {
          type: 'timeseries',
          title: 'How fast the budget is spent, last hour',
          description: '1: it lasts for exactly 30 days. 14.4 wakes somebody.',
          unit: 'short',
          width: 24,
          height: 6,
          queries: [
            query('crate:slo_errors:ratio_rate1h / on(slo) group_left() (1 - crate:slo_objective:ratio)', '{{slo}}'),
          ],
          thresholds: [{ value: 14.4, color: 'red' }],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          type: 'timeseries',
          title: 'Requests by verb',
          description: 'Answered a second.',
          unit: 'reqps',
          isStacked: true,
          queries: [query(`sum by (verb) (rate(crate_http_requests_total{${CHOSEN}}[${RATE}]))`, '{{verb}}')],
        },
        {
          type: 'timeseries',
          title: 'Requests by resource',
          description: 'The busiest ten.',
          unit: 'reqps',
          isStacked: true,
          queries: [
            query(
              `topk(10, sum by (group, resource) (rate(crate_http_requests_total{${CHOSEN}}[${RATE}])))`,
              '{{group}} {{resource}}',
            ),
          ],
        },
        {
          type: 'timeseries',
          title: 'Requests by status code',
          description: '499: the client went away. 5xx is on us.',
          unit: 'reqps',
          isStacked: true,
          queries: [query(`sum by (code) (rate(crate_http_requests_total{${CHOSEN}}[${RATE}]))`, '{{code}}')],
        },
        {
          type: 'timeseries',
          title: 'Share of 5xx',
          description: 'By verb; watches are counted when they end.',
          unit: 'percentunit',
          queries: [
            query(
              `sum by (verb) (rate(crate_http_requests_total{${CHOSEN},code=~"5.."}[${RATE}])) / sum by (verb) (rate(crate_http_requests_total{${CHOSEN}}[${RATE}]))`,
              '{{verb}}',
            ),
          ],
        },
        {
          type: 'timeseries',
          title: 'Duration',
          description: 'From the head of a request to the end of its answer, without watches.',
          unit: 's',
          queries: percentiles('crate_http_request_duration_seconds', NO_WATCHES),
        },
        {
          type: 'timeseries',
          title: 'Duration by verb, p99',
          description: 'Writes wait for admission and for the commit.',
          unit: 's',
          queries: [percentile(0.99, 'crate_http_request_duration_seconds', NO_WATCHES, 'verb')],
        },
        {
          type: 'timeseries',
          title: 'Under way',
          description: 'Requests, and beside them watches and followed logs, which last.',
          unit: 'short',
          queries: [
            query('sum(crate_http_requests_in_flight)', 'requests'),
            query('sum(crate_http_watches_open)', 'watches'),
          ],
        },
        {
          type: 'timeseries',
          title: 'Refused by a limit',
          description: 'Answered with 429, by the limit that was reached.',
          unit: 'reqps',
          isStacked: true,
          queries: [query(`sum by (reason) (rate(crate_http_requests_limited_total[${RATE}]))`, '{{reason}}')],
        },
        {
          type: 'timeseries',
          title: 'Sign-ins to the console',
          description: 'In 15 minutes, by method and what came of them. Many that are refused: somebody tries.',
          unit: 'short',
          queries: [
            query('sum by (method, outcome) (increase(crate_console_sign_ins_total[15m]))', '{{method}} {{outcome}}'),
          ],
        },
        {
          type: 'stat',
          title: 'Certificates end',
          description: 'Of the API, of the admission webhook, and of the connection to NATS.',
          unit: 'dateTimeFromNow',
          queries: [
            instant('min(crate_api_certificate_expiry_timestamp_seconds) * 1000', 'API'),
            instant('min(crate_webhook_certificate_expiry_timestamp_seconds) * 1000', 'Webhook'),
            instant('min(crate_nats_certificate_expiry_timestamp_seconds) * 1000', 'NATS'),
          ],
          alerts: ['CrateCertificateExpiring'],
        },
      ],
    },
    {
      title: 'Behind the API',
      panels: [
        {
          type: 'timeseries',
          title: 'Reviews by policies',
          description: 'Documents judged, by verdict.',
          unit: 'ops',
          isStacked: true,
          queries: [query(`sum by (verdict) (rate(crate_policy_reviews_total[${RATE}]))`, '{{verdict}}')],
          alerts: ['CratePolicyReviewsFailing'],
        },
        {
          type: 'timeseries',
          title: 'Duration of reviews, p99',
          description: 'By stage; a create waits for those of ClusterSpec.',
          unit: 's',
          queries: [percentile(0.99, 'crate_policy_review_seconds', '', 'stage')],
        },
        {
          type: 'timeseries',
          title: 'Problems of audit logs, events dropped',
          description: 'Anything but 0 is to be looked at.',
          unit: 'short',
          queries: [
            query('max by (service) (crate_audit_chain_problems)', '{{service}} audit problems'),
            query('sum by (service) (increase(crate_events_dropped_total[15m]))', '{{service}} events dropped'),
          ],
          alerts: ['CrateAuditChainBroken', 'CrateEventsDropped'],
        },
      ],
    },
    RULES,
  ],
};
