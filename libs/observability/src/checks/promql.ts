/** What Grafana puts in place of its variables, as values that match everything. */
const VARIABLES: Readonly<Record<string, string>> = { $__rate_interval: '5m', $__interval: '1m', $__range: '6h' };

/** Names that are Prometheus's own, or that a scrape makes. */
const OF_PROMETHEUS = new Set(['ALERTS', 'up']);

/** Suffixes of the series of a histogram or summary. */
const PARTS = /_(bucket|count|sum)$/;

/** An expression of a dashboard as Prometheus is sent it. */
export function withoutVariables(expression: string): string {
  const known = Object.entries(VARIABLES).reduce((text, [name, value]) => text.replaceAll(name, value), expression);
  return known.replaceAll(/\$\{?[a-z_]+\}?/g, '.*');
}

/** Metrics of the platform that an expression names, histograms without the suffix of a series; recorded ones and those of Prometheus left out. */
export function metricsIn(expression: string): readonly string[] {
  const words = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .matchAll(/(?<![\w:])((?:crate|process|nodejs)_[a-z0-9_]+)(?![\w:])/g);
  const named = [...words].map(([, name = '']) => name).filter((name) => !OF_PROMETHEUS.has(name));
  return [...new Set([...named, ...matchedNames(expression)].map((name) => name.replace(PARTS, '')))].sort();
}

/** Metrics that a matcher of names lists, such as `{__name__=~"crate_(a|b)_x"}`. */
function matchedNames(expression: string): readonly string[] {
  const [, pattern] = /__name__=~"([^"]+)"/.exec(expression) ?? [];
  if (pattern === undefined) return [];
  const [, head = '', choice = '', tail = ''] = /^(\w*)\(([\w|]+)\)(\w*)$/.exec(pattern) ?? [];
  return choice.split('|').map((part) => `${head}${part}${tail}`);
}
