import type { ReconcileKey } from './reconciler.js';

/** A key this process may work on until `leaseUntil`; renew before then. */
export interface WorkLease {
  readonly reconciler: string;
  readonly key: ReconcileKey;
  /** Moves up with every claim of the key. */
  readonly epoch: bigint;
  /** Failed passes in a row. */
  readonly attempts: number;
  /** How long the key was due before it was claimed. */
  readonly waitedMs: number;
}

/** What becomes of a key when its pass ends. `forget` drops the row (the object is gone). */
export type WorkResult =
  { readonly kind: 'forget' } | { readonly kind: 'again'; readonly afterMs: number; readonly failed: boolean };

/** Due keys of all reconcilers of a service, shared by its replicas. */
export abstract class WorkQueue {
  /** Makes the key due at most `delayMs` from now; a key under lease is looked at again after its pass. Idempotent. */
  abstract enqueue(reconciler: string, keys: readonly ReconcileKey[], delayMs?: number): Promise<void>;
  /** Up to `limit` due keys, each leased for `leaseMs`. Never blocks on another replica. */
  abstract claim(reconciler: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]>;
  /** Extends a lease; false when it was lost to another holder. */
  abstract renew(lease: WorkLease, leaseMs: number): Promise<boolean>;
  /** Gives the lease back. A lease that was lost changes nothing. Keys enqueued during the pass stay due. */
  abstract finish(lease: WorkLease, result: WorkResult): Promise<void>;
  /** Milliseconds until the next key is due; undefined when none is. */
  abstract nextDueInMs(reconciler: string): Promise<number | undefined>;
  /** Keys due now and keys under lease, for metrics. */
  abstract depth(reconciler: string): Promise<{ readonly due: number; readonly leased: number }>;
}
