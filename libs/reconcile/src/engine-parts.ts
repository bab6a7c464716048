import type { Logger, Tracer } from '@crate/telemetry';
import type { Backoff } from './backoff.js';
import type { Courtesy } from './courtesy.js';
import type { EngineMetrics } from './engine-metrics.js';
import type { LeaseTimes } from './lease-keeper.js';
import type { Reconciler, ReconcilerOptions } from './reconciler.js';
import type { Scheduler } from './scheduler.js';
import type { WorkQueue } from './work-queue.js';

/** What all loops of one engine share. */
export interface EngineParts {
  readonly queue: WorkQueue;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly metrics: EngineMetrics;
  readonly scheduler: Scheduler;
  readonly backoff: Backoff;
  readonly courtesy: Courtesy;
  readonly times: EngineTimes;
}

export interface EngineTimes extends LeaseTimes {
  /** An idle loop looks this often, in case a hint was lost. */
  readonly pollMs: number;
  /** How long a stop waits for passes to end. */
  readonly graceMs: number;
}

/** A reconciler and how it runs. */
export interface Registered {
  readonly reconciler: Reconciler;
  /** Kind of the objects, for the log. */
  readonly kind?: string;
  readonly options: ReconcilerOptions;
}
