import type { Counter, Histogram, Metrics } from '@crate/telemetry';
import type { Verdict } from './verdict.js';
import type { WorkLease, WorkQueue } from './work-queue.js';

/** What the engine measures, by reconciler. */
export class EngineMetrics {
  private readonly wait: Histogram;
  private readonly duration: Histogram;
  private readonly retries: Counter;
  private readonly takeovers: Counter;
  private readonly lostLeases: Counter;

  constructor(
    private readonly metrics: Metrics,
    private readonly queue: WorkQueue,
  ) {
    const labels = ['reconciler'];
    this.wait = metrics.histogram({
      name: 'crate_reconcile_wait_seconds',
      help: 'Time that a key was due before its pass began.',
      labels,
    });
    this.duration = metrics.histogram({
      name: 'crate_reconcile_pass_seconds',
      help: 'Duration of passes, by how they ended and why.',
      labels: ['reconciler', 'outcome', 'reason'],
    });
    this.retries = metrics.counter({
      name: 'crate_reconcile_retries_total',
      help: 'Passes that follow a failed pass of the same key.',
      labels,
    });
    this.takeovers = metrics.counter({
      name: 'crate_reconcile_takeovers_total',
      help: 'Claims of keys whose holder never gave its lease back.',
      labels,
    });
    this.lostLeases = metrics.counter({
      name: 'crate_reconcile_lost_leases_total',
      help: 'Passes that were aborted because their lease was lost.',
      labels,
    });
  }

  /** Depth is read from the queue at each scrape only; to be called before the first pass, which it has the series ready for. */
  watchDepth(reconcilers: readonly string[]): void {
    for (const reconciler of reconcilers) {
      this.wait.start({ reconciler });
      for (const counter of [this.retries, this.takeovers, this.lostLeases]) counter.add(0, { reconciler });
    }
    this.metrics.gauge({
      name: 'crate_reconcile_queue_depth',
      help: 'Keys due now and keys under lease, of all replicas.',
      labels: ['reconciler', 'state'],
      collect: async (gauge) => {
        for (const reconciler of reconcilers) {
          const depth = await this.queue.depth(reconciler);
          gauge.set(depth.due, { reconciler, state: 'due' });
          gauge.set(depth.leased, { reconciler, state: 'leased' });
        }
      },
    });
    this.metrics.gauge({
      name: 'crate_reconcile_oldest_wait_seconds',
      help: 'How long the key that waits longest has been due, of all replicas; 0 when none is due.',
      labels: ['reconciler'],
      collect: async (gauge) => {
        for (const reconciler of reconcilers) {
          gauge.set((await this.queue.oldestWaitMs(reconciler)) / 1000, { reconciler });
        }
      },
    });
  }

  claimed({ reconciler, waitedMs, attempts, isTakeover }: WorkLease): void {
    this.wait.observe(waitedMs / 1000, { reconciler });
    if (attempts > 0) this.retries.add(1, { reconciler });
    if (isTakeover) this.takeovers.add(1, { reconciler });
  }

  ended(reconciler: string, verdict: Verdict, tookMs: number): void {
    const { outcome, reason } = verdict;
    this.duration.observe(tookMs / 1000, { reconciler, outcome, reason });
  }

  lost(reconciler: string): void {
    this.lostLeases.add(1, { reconciler });
  }
}
