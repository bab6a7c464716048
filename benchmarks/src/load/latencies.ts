import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const MICROSECONDS = 1000;
const LONGEST_MICROSECONDS = 600_000_000;

/** Times in milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Collects any number of times in constant memory, to three digits (an HDR histogram). */
export class Latencies {
  private readonly histogram: RecordableHistogram = createHistogram({ highest: LONGEST_MICROSECONDS, figures: 3 });

  /** A clock that was set back must not lose a sample: the histogram begins at one microsecond. */
  add(milliseconds: number): void {
    const whole = Math.round(milliseconds * MICROSECONDS);
    this.histogram.record(Math.min(Math.max(whole, 1), LONGEST_MICROSECONDS));
  }

  summary(): LatencySummary {
    const { histogram } = this;
    const at = (percentile: number): number => histogram.percentile(percentile) / MICROSECONDS;
    if (histogram.count === 0) return { count: 0, mean: NaN, p50: NaN, p95: NaN, p99: NaN, max: NaN };
    return {
      count: histogram.count,
      mean: histogram.mean / MICROSECONDS,
      p50: at(50),
      p95: at(95),
      p99: at(99),
      max: histogram.max / MICROSECONDS,
    };
  }
}
