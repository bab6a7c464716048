import type { ResourceRouter } from '@crate/resource-client';
import { isTryOnly, parseResourcePath, type Exchange } from '@crate/resource-server';
import type { Metrics } from '@crate/telemetry';

/** From an answer out of memory to one at the deadline. */
const BUCKETS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The client went away before it had an answer; nginx's number. */
const GONE = '499';

const METHODS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** All that a request may count as. */
const VERBS = [...Object.values(METHODS), 'list', 'deletecollection', 'dryrun', 'watch', 'follow', 'other'];

interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly [label: string]: string;
}

/**
 * Rate, errors and duration of requests. Labels have few values: a resource counts by its name only when somebody serves it,
 * and what is no resource has none.
 */
export function httpMetrics(metrics: Metrics, router: ResourceRouter): (exchange: Exchange) => void {
  const labels = ['verb', 'group', 'resource', 'subresource'];
  const total = metrics.counter({
    name: 'crate_http_requests_total',
    help: 'Requests answered, by what they asked for and status code (499: the client went away)',
    labels: [...labels, 'code'],
  });
  const duration = metrics.histogram({
    name: 'crate_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer; without watches and followed logs',
    labels,
    buckets: BUCKETS,
  });
  const countOutcome = outcomes(metrics);
  const open = { requests: 0, watches: 0 };
  metrics.gauge({
    name: 'crate_http_requests_in_flight',
    help: 'Requests under way, without watches',
    collect: (gauge) => gauge.set(open.requests),
  });
  metrics.gauge({
    name: 'crate_http_watches_open',
    help: 'Watches and followed logs that are open',
    collect: (gauge) => gauge.set(open.watches),
  });

  return (exchange) => {
    const begun = performance.now();
    const asked = labelsOf(exchange, router);
    const kind = asked.verb === 'watch' || asked.verb === 'follow' ? 'watches' : 'requests';
    const { response } = exchange;
    open[kind] += 1;
    response.once('close', () => {
      open[kind] -= 1;
      const seconds = (performance.now() - begun) / 1000;
      const code = response.headersSent ? String(response.statusCode) : GONE;
      void withDryRuns(asked, exchange).then((labels) => {
        total.add(1, { ...labels, code });
        countOutcome(labels.verb, code);
        if (kind === 'requests') duration.observe(seconds, labels);
      });
    });
  };
}

/** Few enough series to begin with 0, so that also the first failure is an increase: what availability is judged by. */
function outcomes(metrics: Metrics): (verb: string, code: string) => void {
  const counter = metrics.counter({
    name: 'crate_http_outcomes_total',
    help: 'Requests answered, by whether the platform failed in it (5xx)',
    labels: ['verb', 'outcome'],
  });
  for (const verb of VERBS) for (const outcome of ['ok', 'failed']) counter.add(0, { verb, outcome });
  return (verb, code) => counter.add(1, { verb, outcome: code.startsWith('5') ? 'failed' : 'ok' });
}

/** A dry run is a verb of its own: it may wait for a plan of Terraform, and is no slow write then. Never throws. */
async function withDryRuns(asked: RequestLabels, exchange: Exchange): Promise<RequestLabels> {
  const isWrite = exchange.method !== 'GET' && asked.verb !== 'other';
  return isWrite && (await isTryOnly(exchange)) ? { ...asked, verb: 'dryrun' } : asked;
}

function labelsOf({ method, path, isFollowing }: Exchange, router: ResourceRouter): RequestLabels {
  const target = parseResourcePath(path);
  const kind = target && router.find(target.group, target.version, target.plural)?.kind;
  const verb = METHODS[method] ?? 'other';
  if (!kind) return { verb, group: '', resource: '', subresource: '' };
  const { group, plural: resource, subresources } = kind;
  const known = ['status', ...subresources.map(({ name }) => name)];
  const subresource = target.subresource !== undefined && known.includes(target.subresource) ? target.subresource : '';
  if (isFollowing) return { verb: subresource === '' ? 'watch' : 'follow', group, resource, subresource };
  return { verb: verbOf(verb, target.name === undefined), group, resource, subresource };
}

function verbOf(verb: string, isCollection: boolean): string {
  if (verb === 'get' && isCollection) return 'list';
  return verb === 'delete' && isCollection ? 'deletecollection' : verb;
}
