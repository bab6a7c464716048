import { invariant } from '@crate/errors';

/** Label values of one series; labels are snake_case and have few values (never a name or uid of an object). */
export type Labels = Readonly<Record<string, string>>;

export interface InstrumentOptions {
  /** `crate_<what>_<unit>`; counters end in `_total`, histograms in `_seconds` or `_bytes`. */
  readonly name: string;
  /** One sentence for the exposition. */
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface HistogramOptions extends InstrumentOptions {
  /** Upper bounds in the unit of the name. Default: `DURATION_BUCKETS`, in seconds. */
  readonly buckets?: readonly number[];
}

export interface GaugeOptions extends InstrumentOptions {
  /**
   * Called at each scrape, so that a value nobody looks at costs nothing. When it fails or takes longer than two seconds the scrape
   * shows the last value, and counts that.
   */
  readonly collect?: (gauge: Gauge) => void | Promise<void>;
}

/** Only grows, from the start of the process; by 1 where no amount is given. */
export interface Counter {
  add(amount?: number, labels?: Labels): void;
}

/** Shows what it was told last, or what its `collect` tells it. */
export interface Gauge {
  set(value: number, labels?: Labels): void;
}

/** In the unit of its name: seconds or bytes. */
export interface Histogram {
  observe(value: number, labels?: Labels): void;
  /**
   * Has a series there before anything is observed: a picture is empty without one, and the first observation is no increase. For label
   * values that are known from the start; forgets what was observed before. A counter is given 0 instead.
   */
  start(labels: Labels): void;
}

/** Instruments of one process. Asking twice for one name gives the same instrument. */
export abstract class Metrics {
  abstract counter(options: InstrumentOptions): Counter;
  abstract gauge(options: GaugeOptions): Gauge;
  abstract histogram(options: HistogramOptions): Histogram;
  /** All series in the Prometheus text exposition format. */
  abstract text(): Promise<string>;
  /** The content type of `text()`. */
  abstract readonly contentType: string;
}

/** From milliseconds of local work to the half hour that a cloud may take. */
export const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 150, 300, 600, 1200, 1800,
];

const NAME = /^crate_[a-z0-9]+(_[a-z0-9]+)*$/;
const LABEL = /^[a-z][a-z0-9_]*$/;
const SUFFIX = { counter: /_total$/, gauge: /^/, histogram: /_(seconds|bytes)$/ };

/** Throws Invariant when a name or label breaks the conventions: a metric once scraped cannot be renamed. */
export function checkInstrument(type: keyof typeof SUFFIX, options: InstrumentOptions): void {
  if (!NAME.test(options.name) || !SUFFIX[type].test(options.name)) {
    throw invariant(`Metric name ${options.name} breaks the conventions for a ${type}`);
  }
  if (options.help.trim() === '') throw invariant(`Metric ${options.name} needs a help text`);
  const bad = options.labels?.find((label) => !LABEL.test(label));
  if (bad !== undefined) throw invariant(`Label ${bad} of metric ${options.name} is not in snake_case`);
}
