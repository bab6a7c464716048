import type { ReconcileKey } from './reconciler.js';

/** Names one claim of one key; what a fence compares. */
export interface WorkClaim {
  readonly reconciler: string;
  readonly key: ReconcileKey;
  /** Moves up with every claim of the key, also when the key was forgotten in between. */
  readonly epoch: bigint;
}

/** A key this process may work on until `leaseUntil`; renew before then. */
export interface WorkLease extends WorkClaim {
  /** Failed passes in a row. */
  readonly attempts: number;
  /** How long the key was due before it was claimed. */
  readonly waitedMs: number;
  /** The holder before this one never gave its lease back: it may have died in the middle of a pass. */
  readonly isTakeover?: boolean;
  /** `traceparent` of what made the key due, as long as no pass has settled since; at most for `TRACE_LASTS_MS`. */
  readonly trace?: string;
}

/** A key that still waits or fails after this long goes on in traces of its own: a trace without end can be shown by nobody. */
export const TRACE_LASTS_MS = 2 * 60 * 60_000;

/**
 * What becomes of a key when its pass ends. `forget` drops the row (the object is gone); `release` gives the key to
 * whoever comes next, as if this pass had not been. A key enqueued during the pass is due at once in every case.
 */
export type WorkResult =
  | { readonly kind: 'forget' }
  | { readonly kind: 'release' }
  | {
      readonly kind: 'again';
      readonly afterMs: number;
      readonly failed: boolean;
      /** Nothing is left to do of what made the key due: the next pass is not part of that trace. */
      readonly settled?: boolean;
    };

/** Due keys of all reconcilers of a service, shared by its replicas. All times are those of the queue's own clock. */
export abstract class WorkQueue {
  /**
   * Makes the key due at most `delayMs` from now; a key under lease is looked at again after its pass. Idempotent.
   * A key without a trace takes up the one of the caller.
   */
  abstract enqueue(reconciler: string, keys: readonly ReconcileKey[], delayMs?: number): Promise<void>;
  /**
   * Up to `limit` due keys, longest due first, each leased for `leaseMs`. Never blocks on another replica.
   * A key whose lease ended without being given back is due too.
   */
  abstract claim(reconciler: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]>;
  /** Extends a lease; false when it was lost to another holder. A lease that ended but that nobody took is still ours. */
  abstract renew(lease: WorkClaim, leaseMs: number): Promise<boolean>;
  /**
   * Gives the lease back. A lease that was lost changes nothing. Keys enqueued during the pass stay due.
   * Milliseconds until the key is due again, 0 when it is now; undefined when it is forgotten or was lost.
   */
  abstract finish(lease: WorkClaim, result: WorkResult): Promise<number | undefined>;
  /** Milliseconds until the next key is due or the next lease ends, 0 when one is due now; undefined when there is none. Writes nothing. */
  abstract nextDueInMs(reconciler: string): Promise<number | undefined>;
  /** Keys due now and keys under lease, for metrics. */
  abstract depth(reconciler: string): Promise<{ readonly due: number; readonly leased: number }>;
  /** How long the key that waits longest was due by now, in milliseconds, for metrics; 0 when none is due. */
  abstract oldestWaitMs(reconciler: string): Promise<number>;
  /** 0 while a pass of the key runs, 1 when it is next in turn, and so on; undefined when it is not due. For people who wait. */
  abstract position(reconciler: string, key: ReconcileKey): Promise<number | undefined>;
}
