/** What users are promised: which share of which events is good. By namespace, which tells apart the installations that one Prometheus looks at. */
export interface Objective {
  /** Value of the label `slo`. */
  readonly name: string;
  /** Name of the alerts on its budget. */
  readonly alert: string;
  /** Share of good events. */
  readonly target: number;
  /** In words, as people read it. */
  readonly promise: string;
  /** What users have of it when it is not kept. */
  readonly harm: string;
  /** PromQL with `$window`: how many events there were. */
  readonly events: string;
  /** PromQL with `$window`: how many of them were bad. */
  readonly errors: string;
  /** So few events that minutes say nothing: it is judged by days, and only when there were a few. */
  readonly isSparse?: boolean;
  /** Fewer errors than these within the long window are chance, whatever their share is of few events: nobody is told. */
  readonly fewestErrors?: number;
}

/** These wait for others by design: all regions of an account, the receiver of a message. So do dry runs, which are a verb of their own. */
const OURS = 'subresource!~"sweep|test"';
const READS = `verb=~"get|list",${OURS}`;
const WRITES = `verb=~"create|update|patch|delete|deletecollection",${OURS}`;

/** All objectives, over 30 days. Why these: docs/observability.md */
export const OBJECTIVES: readonly Objective[] = [
  {
    name: 'api-availability',
    alert: 'CrateApiAvailabilityBudgetBurn',
    target: 0.999,
    promise: '99.9 % of requests to the API are not answered with a failure of the platform (5xx)',
    harm: 'Requests of people and pipelines fail',
    // Not crate_http_requests_total: its series begin with their first request, and the first failure of each kind would be no increase.
    events: 'sum by (namespace) (increase(crate_http_outcomes_total{verb!~"watch|follow"}[$window]))',
    errors: 'sum by (namespace) (increase(crate_http_outcomes_total{verb!~"watch|follow",outcome="failed"}[$window]))',
    fewestErrors: 5,
  },
  {
    name: 'api-read-latency',
    alert: 'CrateApiReadLatencyBudgetBurn',
    target: 0.99,
    promise: '99 % of reads are answered within 0.5 s',
    harm: 'Reads of the API are slow',
    ...slowerThan('crate_http_request_duration_seconds', '0.5', READS),
  },
  {
    name: 'api-write-latency',
    alert: 'CrateApiWriteLatencyBudgetBurn',
    target: 0.99,
    promise: '99 % of writes are answered within 1 s',
    harm: 'Writes to the API are slow',
    ...slowerThan('crate_http_request_duration_seconds', '1', WRITES),
  },
  {
    name: 'reconcile-freshness',
    alert: 'CrateReconcileFreshnessBudgetBurn',
    target: 0.99,
    promise: '99 % of passes begin within 30 s of being due',
    harm: 'Changes are taken up late',
    ...slowerThan('crate_reconcile_wait_seconds', '30'),
  },
  {
    name: 'time-to-cluster',
    alert: 'CrateTimeToClusterBudgetBurn',
    target: 0.95,
    promise: '95 % of clusters are Ready within 30 minutes of being asked for',
    harm: 'Clusters take too long to become Ready',
    ...slowerThan('crate_cluster_time_to_ready_seconds', '1800'),
    isSparse: true,
  },
  {
    name: 'deletion-completion',
    alert: 'CrateDeletionCompletionBudgetBurn',
    target: 0.95,
    promise: '95 % of deleted clusters are gone, with all they had in the cloud, within an hour',
    harm: 'Deletions of clusters take too long',
    ...slowerThan('crate_cluster_deletion_seconds', '3600'),
    isSparse: true,
  },
];

/** Of a histogram: what took longer than one of its buckets. Were there no such bucket, there would be no number rather than a good one. */
function slowerThan(histogram: string, seconds: string, selector = ''): Pick<Objective, 'events' | 'errors'> {
  const within = [selector, bound(seconds)].filter((part) => part !== '').join(',');
  const all = `sum by (namespace) (increase(${histogram}_count${selector === '' ? '' : `{${selector}}`}[$window]))`;
  return { events: all, errors: `${all} - sum by (namespace) (increase(${histogram}_bucket{${within}}[$window]))` };
}

/** Prometheus 3 stores whole bounds with a fraction, earlier ones as they are told. */
function bound(seconds: string): string {
  return seconds.includes('.') ? `le="${seconds}"` : `le=~"${seconds}([.]0)?"`;
}
