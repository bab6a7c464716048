import { invariant } from '@crate/errors';
import { NullTracer, type Logger, type Metrics, type Tracer } from '@crate/telemetry';
import { Backoff } from './backoff.js';
import { Courtesy } from './courtesy.js';
import { EngineMetrics } from './engine-metrics.js';
import type { EngineParts, EngineTimes, Registered } from './engine-parts.js';
import { ReconcileLoop } from './reconcile-loop.js';
import { DEFAULT_RECONCILER_OPTIONS, type Reconciler, type ReconcilerOptions } from './reconciler.js';
import { SystemScheduler, type Scheduler } from './scheduler.js';
import type { WorkQueue } from './work-queue.js';

/** Times default to a lease of 30,000, renewed every third of it, a poll every 5,000 and a grace of 20,000. */
export interface ReconcileEngineOptions extends Partial<EngineTimes> {
  readonly queue: WorkQueue;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Each pass is a span of it; default: only trace ids are carried on. */
  readonly tracer?: Tracer;
  /** Default: the system's clock. */
  readonly scheduler?: Scheduler;
  /** Default: from one second to two minutes. */
  readonly backoff?: Backoff;
}

export interface Registration {
  readonly reconciler: Reconciler;
  /** Kind of the objects, for the log. */
  readonly kind?: string;
  /** What is absent is as in `DEFAULT_RECONCILER_OPTIONS`. */
  readonly options?: Partial<ReconcilerOptions>;
}

const DEFAULT_TIMES: EngineTimes = { leaseMs: 12_000, renewEveryMs: 4_000, pollMs: 5_000, graceMs: 20_000 };

/**
 * Runs reconcilers over a shared work queue, beside any number of other replicas. Register all, then start.
 * A process that dies keeps nothing from the others: its leases end, and its keys are taken over under higher epochs.
 */
export class ReconcileEngine {
  private readonly parts: EngineParts;
  private readonly loops = new Map<string, ReconcileLoop>();
  private isStarted = false;

  constructor(options: ReconcileEngineOptions) {
    const { queue, logger, metrics, scheduler = new SystemScheduler(), backoff } = options;
    this.parts = {
      queue,
      logger,
      tracer: options.tracer ?? new NullTracer(),
      metrics: new EngineMetrics(metrics, queue),
      scheduler,
      backoff: backoff ?? new Backoff(),
      courtesy: new Courtesy(scheduler),
      times: timesOf(options),
    };
  }

  /** Adds a reconciler; throws Invariant for a second one of that name, for bad deadlines, and after the start. */
  register(registration: Registration): void {
    const { reconciler, kind } = registration;
    const options = { ...DEFAULT_RECONCILER_OPTIONS, ...registration.options };
    if (this.isStarted) throw invariant('The engine has started already');
    if (this.loops.has(reconciler.name)) throw invariant(`Reconciler ${reconciler.name} is registered twice`);
    if (options.deadlineMs <= options.remoteDeadlineMs) {
      throw invariant(`Reconciler ${reconciler.name} leaves no time to record a timeout`);
    }
    const registered: Registered = { reconciler, options, ...(kind === undefined ? {} : { kind }) };
    this.loops.set(reconciler.name, new ReconcileLoop(this.parts, registered));
  }

  start(): void {
    this.isStarted = true;
    this.parts.metrics.watchDepth([...this.loops.keys()]);
    for (const loop of this.loops.values()) loop.start();
  }

  /** Keys of this reconciler (or of any) may have become due: look now. Called after local commits and for hints. */
  wake(reconciler?: string): void {
    if (reconciler !== undefined) return this.loops.get(reconciler)?.wake();
    for (const loop of this.loops.values()) loop.wake();
  }

  /**
   * Claims nothing more, aborts calls to the outside, waits for passes up to the grace time and gives their leases back.
   * A pass that will not end keeps its lease, which then runs out: nobody else may work on its key while it lives.
   */
  async stop(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.stop()));
  }
}

function timesOf(options: ReconcileEngineOptions): EngineTimes {
  const { leaseMs, renewEveryMs, pollMs, graceMs } = options;
  const lease = leaseMs ?? DEFAULT_TIMES.leaseMs;
  return {
    leaseMs: lease,
    renewEveryMs: renewEveryMs ?? lease / 3,
    pollMs: pollMs ?? DEFAULT_TIMES.pollMs,
    graceMs: graceMs ?? DEFAULT_TIMES.graceMs,
  };
}
