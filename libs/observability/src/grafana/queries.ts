import type { Query, Variable } from './model.js';

/** Over what a rate is taken; Grafana fits it to the zoom and the scrape interval. */
export const RATE = '$__rate_interval';

/** One series, or one by each value of a label that is named in the legend. */
export function query(expr: string, legend: string): Query {
  return { expr, legend };
}

/** The value now. */
export function instant(expr: string, legend = ''): Query {
  return { expr, legend, isInstant: true };
}

/** What happens some times a day: between two of them a rate of minutes is nothing, and its picture empty. */
const RARE = new Set([
  'crate_cluster_time_to_ready_seconds',
  'crate_cluster_deletion_seconds',
  'crate_terraform_run_seconds',
  'crate_engine_run_seconds',
  'crate_policy_reevaluation_seconds',
]);
const RARE_WINDOW = '6h';

/** Percentiles of a histogram, of all series together; of what is rare those of the last six hours. */
export function percentiles(histogram: string, selector: string): readonly Query[] {
  return ([0.5, 0.95, 0.99] as const).map((share) => {
    const buckets = `sum by (le) (rate(${histogram}_bucket${selector}[${windowOf(histogram)}]))`;
    return query(`histogram_quantile(${share}, ${buckets})`, `p${share * 100}`);
  });
}

/** One percentile by a label; of what is rare that of the last six hours. */
export function percentile(share: number, histogram: string, selector: string, by: string): Query {
  const buckets = `sum by (le, ${by}) (rate(${histogram}_bucket${selector}[${windowOf(histogram)}]))`;
  return query(`histogram_quantile(${share}, ${buckets})`, `{{${by}}}`);
}

function windowOf(histogram: string): string {
  return RARE.has(histogram) ? RARE_WINDOW : RATE;
}

/** The services that are scraped. */
export const SERVICE: Variable = { name: 'service', label: 'Service', query: 'crate_build_info, service' };

/** Of one Prometheus that looks at several installations; outside of Kubernetes nothing has the label, and all is chosen. */
export const NAMESPACE: Variable = { name: 'namespace', label: 'Namespace', query: 'crate_build_info, namespace' };

/** Names of series, outside of quotes, with what they are chosen by. What is promised is the same for all. */
const SERIES =
  /("(?:[^"\\]|\\.)*")|(?<![\w:$])((?:(?:crate|process|nodejs)_|crate:(?!slo_objective))[\w:]+|up)(?![\w:(])(\{)?/g;

/** An expression about the installations that the reader chose. */
export function inNamespace(expr: string): string {
  return expr.replaceAll(SERIES, (all, quoted: string | undefined, name: string, brace: string | undefined) => {
    if (quoted !== undefined) return all;
    return `${name}{namespace=~"$namespace"${brace === undefined ? '}' : ','}`;
  });
}
