import type { Outcome, ReconcileContext } from './outcome.js';

/** Names one object of the reconciler's kind. */
export interface ReconcileKey {
  /** Empty string for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Moves one resource one step closer to its spec. May be killed at any instruction and run again.
 * The engine guarantees at most one pass per key at a time across replicas.
 */
export abstract class Reconciler {
  /** Stable name: the queue's partition and the metrics label, such as `cluster`. */
  abstract readonly name: string;
  /** Answers `gone` when the object does not exist. Throws a PlatformError; its `retry` decides when to look again. */
  abstract reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome>;
}

/** How the engine runs one reconciler. All times in milliseconds. */
export interface ReconcilerOptions {
  /** Passes at a time in this process. */
  readonly concurrency: number;
  /** `remoteSignal` fires after this time. */
  readonly remoteDeadlineMs: number;
  /** `signal` fires after this time; above `remoteDeadlineMs`. */
  readonly deadlineMs: number;
  /** A settled key is looked at again after this time (with jitter), in case a change was missed. */
  readonly resyncMs: number;
}

/** For reconcilers that only talk to services nearby; one that runs Terraform asks for more time. */
export const DEFAULT_RECONCILER_OPTIONS: ReconcilerOptions = {
  concurrency: 4,
  remoteDeadlineMs: 60_000,
  deadlineMs: 75_000,
  resyncMs: 30 * 60_000,
};
