import { isPlatformError, toPlatformError } from '@crate/errors';
import type { WorkLease } from './work-queue.js';

/** How a pass over one key ended well. */
export type Outcome =
  | {
      readonly kind: 'settled';
      /** The object does not exist any more, so the queue may forget its key. */
      readonly isGone?: true;
    }
  | { readonly kind: 'waiting'; readonly reason: string; readonly retryAfterMs: number };

/** A pass as a status function sees it: an outcome, or the error that ended it. */
export type Pass = { readonly ok: true; readonly outcome: Outcome } | { readonly ok: false; readonly error: unknown };

/** What every pass and phase is given. */
export interface ReconcileContext {
  /** Aborts calls to the outside world. */
  readonly remoteSignal: AbortSignal;
  /** Fires later than `remoteSignal`, so a timed-out pass can still record why. */
  readonly signal: AbortSignal;
  /** Aborts, with the others, once the lease is lost or no longer renewed: another pass may have the key. A deadline alone does not. The engine always sets it. */
  readonly lost?: AbortSignal;
  /**
   * Waits for a turn, such as a slot that others have: however long that takes, the deadlines count from its end. Never two waits at a time.
   * The engine always sets it.
   */
  readonly inLine?: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Fencing token: writes of a pass whose epoch is old are refused. */
  readonly epoch: bigint;
  /** Correlates log lines, events and errors of one pass. */
  readonly traceId: string;
  /** Failed passes of this key in a row before this one. The engine always sets it. */
  readonly attempts?: number;
  /** The claim behind `epoch`, for fenced writes; `isTakeover` tells that the lease of an earlier pass ran out: it died, or was cut off. The engine always sets it. */
  readonly lease?: WorkLease;
}

/** One step of a pass: observes, then acts by `ensure`; safe to repeat from any point. */
export type Phase<S> = (scope: S, context: ReconcileContext) => Promise<Outcome>;

/** As `context.inLine`, where there is one. */
export async function inLine<T>({ inLine: apart }: ReconcileContext, wait: () => Promise<T>): Promise<T> {
  return apart ? apart(wait) : wait();
}

/** Nothing left to do until something changes. */
export const settled: Outcome = { kind: 'settled' };

/** The object is no more: settled, and the queue drops its key instead of looking again at the next resync. */
export const gone: Outcome = { kind: 'settled', isGone: true };

/** Something else must happen first; look again after `retryAfterMs` or when woken. Not an error. */
export function waiting(reason: string, retryAfterMs: number): Outcome {
  return { kind: 'waiting', reason, retryAfterMs };
}

/** Runs phases in order and stops at the first one that waits or fails; none begins once the lease is lost. Never throws. */
export async function runPhases<S>(phases: readonly Phase<S>[], scope: S, context: ReconcileContext): Promise<Pass> {
  for (const phase of phases) {
    try {
      // Another pass may have the key by now, and have read more than this one. Past its deadline this one still has it.
      context.lost?.throwIfAborted();
      const outcome = await phase(scope, context);
      if (outcome.kind === 'waiting') return { ok: true, outcome };
    } catch (error) {
      return { ok: false, error: explainAbort(error, context.remoteSignal) };
    }
  }
  return { ok: true, outcome: settled };
}

/**
 * The reason why `signal` aborted, when that is what made a call throw: "Took longer than 60 s" instead of the
 * "This operation was aborted" that libraries throw. Other errors pass through unchanged.
 */
export function explainAbort(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted || isPlatformError(error)) return error;
  return toPlatformError(signal.reason);
}
