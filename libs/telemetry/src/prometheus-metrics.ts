import { invariant } from '@crate/errors';
import * as prometheus from 'prom-client';
import {
  checkInstrument,
  DURATION_BUCKETS,
  Metrics,
  type Counter,
  type Gauge,
  type GaugeOptions,
  type Histogram,
  type HistogramOptions,
  type InstrumentOptions,
  type Labels,
} from './metrics.js';

export interface PrometheusMetricsOptions {
  /** The service's name, a label of every series. */
  readonly service: string;
  /** Also report the process itself: memory, CPU, garbage collection. Default true. */
  readonly processMetrics?: boolean;
}

/** A scrape has ten seconds by default, and no source of values may use them up. */
const COLLECT_MS = 2_000;

/** The production metrics: one prom-client registry per instance. */
export class PrometheusMetrics extends Metrics {
  private readonly registry = new prometheus.Registry();
  private readonly instruments = new Map<string, { readonly type: string; readonly instrument: unknown }>();
  private readonly failures: Counter;

  constructor(options: PrometheusMetricsOptions) {
    super();
    this.registry.setDefaultLabels({ service: options.service });
    this.failures = this.counter({
      name: 'crate_metric_collection_failures_total',
      help: 'Gauges whose source failed or was too slow at a scrape, which then shows their last value.',
      labels: ['metric'],
    });
    if (options.processMetrics ?? true) {
      // A coarse precision: the event-loop monitor must not keep an idle process awake.
      prometheus.collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 500 });
      this.observeEventLoop();
    }
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  counter(options: InstrumentOptions): Counter {
    return this.once('counter', options, (configuration) => {
      const counter = new prometheus.Counter(configuration);
      return { add: (amount = 1, labels: Labels = {}) => counter.inc(labels, amount) };
    });
  }

  gauge(options: GaugeOptions): Gauge {
    return this.once('gauge', options, (configuration) => {
      const { collect } = options;
      const gauge = new prometheus.Gauge({
        ...configuration,
        ...(collect ? { collect: () => this.collectSafely(options.name, () => collect(port)) } : {}),
      });
      const port: Gauge = { set: (value, labels = {}) => gauge.set(labels, value) };
      // What nobody has told yet is not 0: a certificate would have ended in 1970.
      if (collect && configuration.labelNames?.length === 0) gauge.remove();
      return port;
    });
  }

  histogram(options: HistogramOptions): Histogram {
    return this.once('histogram', options, (configuration) => {
      const buckets = [...(options.buckets ?? DURATION_BUCKETS)];
      const histogram = new prometheus.Histogram({ ...configuration, buckets });
      return {
        observe: (value, labels = {}) => histogram.observe(labels, value),
        start: (labels) => histogram.zero(labels),
      };
    });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The percentiles of Node's own monitor hold its precision; this asks nothing of an idle process. */
  private observeEventLoop(): void {
    let last = performance.eventLoopUtilization();
    this.gauge({
      name: 'crate_event_loop_utilization_ratio',
      help: 'Share of the time since the last scrape in which the event loop was busy; at 1 the process takes up nothing in time.',
      collect: (gauge) => {
        const now = performance.eventLoopUtilization();
        gauge.set(performance.eventLoopUtilization(now, last).utilization);
        last = now;
      },
    });
  }

  /** One failing source must not hide every other metric. */
  private async collectSafely(metric: string, collect: () => void | Promise<void>): Promise<void> {
    try {
      await within(COLLECT_MS, collect());
    } catch {
      this.failures.add(1, { metric });
    }
  }

  private once<T>(
    type: 'counter' | 'gauge' | 'histogram',
    options: InstrumentOptions,
    make: (configuration: prometheus.MetricConfiguration<string>) => T,
  ): T {
    const known = this.instruments.get(options.name);
    if (known) {
      if (known.type !== type) throw invariant(`Metric ${options.name} is already a ${known.type}`);
      return known.instrument as T;
    }
    checkInstrument(type, options);
    const { name, help, labels = [] } = options;
    const instrument = make({ name, help, labelNames: [...labels], registers: [this.registry] });
    this.instruments.set(name, { type, instrument });
    return instrument;
  }
}

async function within(ms: number, work: void | Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No value within ${ms} ms`)), ms);
  });
  await Promise.race([work, expired]).finally(() => clearTimeout(timer));
}
