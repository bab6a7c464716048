const LOOK_MS = 5_000;

/** One number of a service. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Metrics = readonly Sample[];

/** What a service says at `/metrics`. */
export async function metricsOf(healthUrl: string): Promise<Metrics> {
  const response = await fetch(`${healthUrl}/metrics`, { signal: AbortSignal.timeout(LOOK_MS) });
  return parseMetrics(await response.text());
}

/** Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export function parseMetrics(text: string): Metrics {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }];
  });
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [key, value]),
  );
}

/** Of all samples with these labels. */
export function sumOf(metrics: Metrics, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return metrics
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
}
