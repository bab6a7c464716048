import {
  checkInstrument,
  Metrics,
  type Counter,
  type Gauge,
  type GaugeOptions,
  type Histogram,
  type HistogramOptions,
  type InstrumentOptions,
  type Labels,
} from './metrics.js';

/** Keeps values in memory, for tests. */
export class InMemoryMetrics extends Metrics {
  readonly contentType = 'text/plain';
  private readonly observations = new Map<string, number[]>();
  private readonly collectors = new Map<string, () => void | Promise<void>>();

  counter(options: InstrumentOptions): Counter {
    checkInstrument('counter', options);
    return {
      add: (amount = 1, labels = {}) =>
        this.replace(options.name, labels, (this.value(options.name, labels) ?? 0) + amount),
    };
  }

  gauge(options: GaugeOptions): Gauge {
    checkInstrument('gauge', options);
    const gauge: Gauge = { set: (value, labels = {}) => this.replace(options.name, labels, value) };
    const { collect } = options;
    if (collect) this.collectors.set(options.name, () => collect(gauge));
    return gauge;
  }

  histogram(options: HistogramOptions): Histogram {
    checkInstrument('histogram', options);
    return {
      observe: (value, labels = {}) => {
        this.observations.set(series(options.name, labels), [...this.observed(options.name, labels), value]);
      },
      start: (labels) => {
        this.observations.set(series(options.name, labels), []);
      },
    };
  }

  /** The value of a counter or gauge; undefined when it was never written. */
  value(name: string, labels: Labels = {}): number | undefined {
    return this.observations.get(series(name, labels))?.at(-1);
  }

  /** All that a histogram was given. */
  observed(name: string, labels: Labels = {}): readonly number[] {
    return this.observations.get(series(name, labels)) ?? [];
  }

  async text(): Promise<string> {
    for (const collect of this.collectors.values()) await collectSafely(collect);
    const lines = [...this.observations].map(([name, values]) => `${name} ${values.at(-1) ?? 0}\n`);
    return lines.sort().join('');
  }

  private replace(name: string, labels: Labels, value: number): void {
    this.observations.set(series(name, labels), [value]);
  }
}

function series(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.sort().join(',')}}`;
}

async function collectSafely(collect: () => void | Promise<void>): Promise<void> {
  try {
    await collect();
  } catch {
    return;
  }
}
