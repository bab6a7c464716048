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
