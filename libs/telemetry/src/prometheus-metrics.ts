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

/** The production metrics: one prom-client registry per instance. */
export class PrometheusMetrics extends Metrics {
  private readonly registry = new prometheus.Registry();
  private readonly instruments = new Map<string, { readonly type: string; readonly instrument: unknown }>();

  constructor(options: PrometheusMetricsOptions) {
    super();
    this.registry.setDefaultLabels({ service: options.service });
    if (options.processMetrics ?? true) {
      // A coarse precision: the event-loop monitor must not keep an idle process awake.
      prometheus.collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 500 });
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
        ...(collect ? { collect: () => collectSafely(collect, port) } : {}),
      });
      const port: Gauge = { set: (value, labels = {}) => gauge.set(labels, value) };
      return port;
    });
  }

  histogram(options: HistogramOptions): Histogram {
    return this.once('histogram', options, (configuration) => {
      const buckets = [...(options.buckets ?? DURATION_BUCKETS)];
      const histogram = new prometheus.Histogram({ ...configuration, buckets });
      return { observe: (value, labels = {}) => histogram.observe(labels, value) };
    });
  }

  text(): Promise<string> {
    return this.registry.metrics();
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

/** One failing source must not hide every other metric. */
async function collectSafely(collect: (gauge: Gauge) => void | Promise<void>, gauge: Gauge): Promise<void> {
  try {
    await collect(gauge);
  } catch {
    return;
  }
}
