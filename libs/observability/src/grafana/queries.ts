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

/** Percentiles of a histogram, of all series together or by labels. */
export function percentiles(histogram: string, selector: string, by: readonly string[] = []): readonly Query[] {
  const [first] = by;
  return ([0.5, 0.95, 0.99] as const).map((share) => {
    const buckets = `sum by (${['le', ...by].join(', ')}) (rate(${histogram}_bucket${selector}[${RATE}]))`;
    const name = `p${share * 100}`;
    return query(`histogram_quantile(${share}, ${buckets})`, first ? `{{${first}}} ${name}` : name);
  });
}

/** One percentile by a label. */
export function percentile(share: number, histogram: string, selector: string, by: string): Query {
  const buckets = `sum by (le, ${by}) (rate(${histogram}_bucket${selector}[${RATE}]))`;
  return query(`histogram_quantile(${share}, ${buckets})`, `{{${by}}}`);
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
