import type { Logger } from './logger.js';
import type { Counter, Metrics } from './metrics.js';

/** Why spans did not arrive. */
export type DropReason = 'queue_full' | 'export_failed';

const QUIET_MS = 60_000;

/** Counts spans that were lost, and says so once a minute at most: whoever looks at traces should know that some are missing. */
export class DroppedSpans {
  private readonly counter: Counter;
  private saidAt = -Infinity;
  private unsaid = 0;

  constructor(
    metrics: Metrics,
    private readonly logger: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.counter = metrics.counter({
      name: 'crate_telemetry_spans_dropped_total',
      help: 'Spans that did not reach the collector.',
      labels: ['reason'],
    });
  }

  add(count: number, reason: DropReason, error?: unknown): void {
    this.counter.add(count, { reason });
    this.unsaid += count;
    if (this.now() - this.saidAt < QUIET_MS) return;
    this.saidAt = this.now();
    this.logger.warn('Dropping spans', { spans: this.unsaid, reason, ...(error === undefined ? {} : { error }) });
    this.unsaid = 0;
  }
}
