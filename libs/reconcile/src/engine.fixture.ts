import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { Backoff } from './backoff.js';
import { InMemoryWorkQueue } from './in-memory-work-queue.js';
import { ManualScheduler } from './manual-scheduler.js';
import { settled, type Outcome, type ReconcileContext } from './outcome.js';
import { ReconcileEngine, type ReconcileEngineOptions } from './reconcile-engine.js';
import { Reconciler, type ReconcileKey, type ReconcilerOptions } from './reconciler.js';
import type { WorkQueue } from './work-queue.js';

export type Behaviour = (key: ReconcileKey, context: ReconcileContext) => Promise<Outcome> | Outcome;

/** A reconciler that does as told and remembers its passes. */
export class ScriptedReconciler extends Reconciler {
  readonly passes: { readonly key: ReconcileKey; readonly context: ReconcileContext; readonly at: number }[] = [];

  constructor(
    private readonly scheduler: ManualScheduler,
    public behaviour: Behaviour = () => settled,
    readonly name: string = 'cluster',
  ) {
    super();
  }

  async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    this.passes.push({ key, context, at: this.scheduler.now() });
    return this.behaviour(key, context);
  }
}

export const demo: ReconcileKey = { namespace: 'team-a', name: 'demo' };

/** One engine over an in-memory queue, on a clock that the test moves. Jitter is at its middle: delays are half of the full backoff, resyncs exact. */
export class EngineFixture {
  readonly scheduler = new ManualScheduler();
  readonly logger = new InMemoryLogger();
  readonly metrics = new InMemoryMetrics();
  readonly queue = new InMemoryWorkQueue(() => this.scheduler.now());
  readonly reconciler = new ScriptedReconciler(this.scheduler);
  readonly engine: ReconcileEngine;

  constructor(
    options: {
      readonly behaviour?: Behaviour;
      readonly reconciler?: Partial<ReconcilerOptions>;
      readonly engine?: Partial<ReconcileEngineOptions>;
      readonly queueAs?: (queue: InMemoryWorkQueue) => WorkQueue;
    } = {},
  ) {
    if (options.behaviour) this.reconciler.behaviour = options.behaviour;
    this.engine = new ReconcileEngine({
      queue: options.queueAs?.(this.queue) ?? this.queue,
      logger: this.logger,
      metrics: this.metrics,
      scheduler: this.scheduler,
      backoff: new Backoff({ random: () => 0.5 }),
      ...options.engine,
    });
    this.engine.register({ reconciler: this.reconciler, kind: 'Cluster', options: options.reconciler ?? {} });
  }

  /** Starts the engine with keys due. */
  async start(...keys: readonly ReconcileKey[]): Promise<void> {
    await this.queue.enqueue('cluster', keys);
    this.engine.start();
    await this.scheduler.settle();
  }

  /** A key changed: as a commit does it. */
  async change(...keys: readonly ReconcileKey[]): Promise<void> {
    await this.queue.enqueue('cluster', keys);
    this.engine.wake('cluster');
    await this.scheduler.advance(10);
  }

  /** Stops without waiting on a clock that nobody moves. */
  async stop(graceMs = 20_000): Promise<void> {
    const stopped = this.engine.stop();
    await this.scheduler.advance(graceMs);
    await stopped;
  }

  get passes(): number {
    return this.reconciler.passes.length;
  }
}

export const other: ReconcileKey = { namespace: 'team-b', name: 'other' };

/** Throws what it is told, then settles. */
export function failing(errors: readonly unknown[]): Behaviour {
  const left = [...errors];
  return () => {
    if (left.length > 0) throw left.shift();
    return settled;
  };
}

/** Makes engines, and stops them all. */
export class EngineFixtures {
  private running: EngineFixture[] = [];

  make(...parameters: ConstructorParameters<typeof EngineFixture>): EngineFixture {
    const created = new EngineFixture(...parameters);
    this.running.push(created);
    return created;
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((each) => each.stop()));
    this.running = [];
  }
}
