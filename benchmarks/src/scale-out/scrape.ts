import type { CratePlatform } from '@crate/testing';

/** One value of a metric of one process. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What all processes of a platform tell now; one that is between two lives tells nothing. */
export async function scrape(platform: CratePlatform): Promise<readonly Sample[]> {
  const urls = Object.values(await platform.processes()).flatMap(({ healthUrl }) => healthUrl ?? []);
  const texts = await Promise.all(urls.map((url) => textOf(`${url}/metrics`)));
  return texts.flatMap(parseSamples);
}

async function textOf(url: string): Promise<string> {
  try {
    return await (await fetch(url)).text();
  } catch {
    return '';
  }
}

/** Reads the text format of Prometheus. Source: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function parseSamples(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value?.replace('+Inf', 'Infinity')) }];
  });
}

/** What was counted between two looks: what was there before counts against it. For counters and histograms. */
export function since(before: readonly Sample[], after: readonly Sample[]): readonly Sample[] {
  return [...after, ...before.map((sample) => ({ ...sample, value: -sample.value }))];
}

/** Sum of all samples of a name that carry these labels. */
export function sumOfSamples(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return chosen(samples, name, labels).reduce((sum, { value }) => sum + value, 0);
}

/**
 * The quantile of a histogram over all processes, as `histogram_quantile` has it: evenly spread within a bucket, and the last bound for what lies
 * above it. NaN where nothing was observed.
 */
export function quantileOf(
  samples: readonly Sample[],
  name: string,
  quantile: number,
  labels: Readonly<Record<string, string>> = {},
): number {
  const buckets = bucketsOf(chosen(samples, `${name}_bucket`, labels));
  const rank = quantile * (buckets.at(-1)?.[1] ?? 0);
  if (rank === 0) return NaN;
  const index = buckets.findIndex(([, count]) => count >= rank);
  const [lower, below] = buckets[index - 1] ?? [0, 0];
  const [upper, count] = buckets[index] ?? [NaN, NaN];
  return upper === Infinity ? lower : lower + ((upper - lower) * (rank - below)) / (count - below);
}

/** Bounds with how many values lie at or below each. */
function bucketsOf(samples: readonly Sample[]): readonly (readonly [number, number])[] {
  const counts = new Map<number, number>();
  for (const { labels, value } of samples) {
    const bound = Number(labels['le']?.replace('+Inf', 'Infinity'));
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  return [...counts].sort(([one], [other]) => one - other);
}

function chosen(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>>): readonly Sample[] {
  const wanted = Object.entries(labels);
  return samples.filter((sample) => sample.name === name && wanted.every(([key, text]) => sample.labels[key] === text));
}
