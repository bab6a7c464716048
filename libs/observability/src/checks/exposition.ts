/** A metric as a service shows it at `/metrics`. */
export interface ShownMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Label sets of its series, as they stand in the text; those of one bucket count as one. */
  readonly series: ReadonlySet<string>;
}

/** Reads the text format of Prometheus. */
export function shownMetrics(text: string): ReadonlyMap<string, ShownMetric> {
  const metrics = new Map<string, { name: string; type: string; help: string; series: Set<string> }>();
  const of = (name: string): { name: string; type: string; help: string; series: Set<string> } => {
    const known = metrics.get(name) ?? { name, type: '', help: '', series: new Set<string>() };
    metrics.set(name, known);
    return known;
  };
  for (const line of text.split('\n')) {
    const [, keyword, described = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') of(described).help = rest;
    else if (keyword === 'TYPE') of(described).type = rest;
    const [, name, labels = ''] = /^([a-z_:][\w:]*)(?:\{(.*)\})? \S+$/i.exec(line) ?? [];
    if (name !== undefined) of(ownerOf(name, metrics)).series.add(labels.replace(/\ble="[^"]*",?/, ''));
  }
  return metrics;
}

/** Series of a histogram or a summary have its name with a suffix. */
function ownerOf(name: string, metrics: ReadonlyMap<string, { readonly type: string }>): string {
  const base = name.replace(/_(bucket|count|sum)$/, '');
  const type = metrics.get(base)?.type;
  return type === 'histogram' || type === 'summary' ? base : name;
}

/** The most series of one metric in one process. Labels with names or uids of objects pass it soon. */
export const MOST_SERIES = 400;

const UNITS = /_(seconds|bytes|ratio|total|info)$/;
/** Words that say of a thing that it is an amount or a time without its unit. */
const UNITLESS =
  /_(ms|milliseconds|millis|minutes|hours|days|kb|kib|mb|mib|gb|percent|latency|duration|size|age|time)$/;

/** What breaks the conventions of https://prometheus.io/docs/practices/naming; our own metrics only. Empty when nothing does. */
export function brokenConventions(metrics: ReadonlyMap<string, ShownMetric>): readonly string[] {
  return [...metrics.values()].filter(({ name }) => name.startsWith('crate_')).flatMap(problemsOf);
}

function problemsOf({ name, type, help, series }: ShownMetric): readonly string[] {
  const problems: string[] = [];
  if (help.trim() === '') problems.push('has no HELP');
  problems.push(...misnamed(name, type));
  if (series.size > MOST_SERIES) problems.push(`has ${series.size} series, more than ${MOST_SERIES}`);
  const uid = [...series].find((labels) => /="[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/.test(labels));
  if (uid !== undefined) problems.push(`has a uid as a label: ${uid}`);
  return problems.map((problem) => `${name} ${problem}`);
}

function misnamed(name: string, type: string): readonly string[] {
  const problems: string[] = [];
  if (type === '') problems.push('has no TYPE');
  if (type === 'counter' && !name.endsWith('_total')) problems.push('is a counter without _total');
  if (type === 'gauge' && name.endsWith('_total')) problems.push('is a gauge that ends in _total');
  if (type === 'histogram' && !/_(seconds|bytes)$/.test(name)) problems.push('is a histogram without a unit');
  if (!UNITS.test(name) && UNITLESS.test(name)) problems.push('names an amount without a base unit');
  return problems;
}
