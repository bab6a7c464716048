import { toPlatformError, type PlatformError } from '@crate/errors';
import type { Backoff } from './backoff.js';
import type { Pass } from './outcome.js';
import type { WorkResult } from './work-queue.js';

/** What a pass comes to: for the queue, and for metrics. */
export interface Verdict {
  readonly result: WorkResult;
  readonly outcome: 'settled' | 'waiting' | 'gone' | 'failed';
  /** Why it waits or failed, from a small set; empty when it settled. */
  readonly reason: string;
}

export interface VerdictOptions {
  /** Failed passes in a row before this one. */
  readonly attempts: number;
  readonly resyncMs: number;
  readonly backoff: Backoff;
}

// A conflict is ordinary: somebody else wrote first. This many in a row are not.
const IMMEDIATE_RETRIES = 5;
// Keeps a reconciler that waits for 0 ms from taking a whole core.
const SHORTEST_WAIT_MS = 50;
// What is not ready yet is looked at more often than this; who waits longer waits for a time, such as that of the next
// comparison with the cloud, and what made the key due is done.
const TIMED_WAIT_MS = 2 * 60_000;
const REASON = /^[A-Z][A-Za-z0-9]{0,63}$/;

/** Decides when to look again. Pure but for the jitter. */
export function judge(pass: Pass, options: VerdictOptions): Verdict {
  if (!pass.ok) return failed(toPlatformError(pass.error), options);
  const { outcome } = pass;
  if (outcome.kind === 'waiting') {
    const afterMs = Math.max(outcome.retryAfterMs, SHORTEST_WAIT_MS);
    const result = { ...again(afterMs), ...(afterMs >= TIMED_WAIT_MS ? { settled: true } : {}) };
    return { result, outcome: 'waiting', reason: asReason(outcome.reason) };
  }
  if (outcome.isGone) return { result: { kind: 'forget' }, outcome: 'gone', reason: '' };
  return {
    result: { ...again(options.backoff.spread(options.resyncMs)), settled: true },
    outcome: 'settled',
    reason: '',
  };
}

/** True for a lost race that is repeated at once, without a line in the log. */
export function isSilent(error: PlatformError, attempts: number): boolean {
  return error.retry === 'now' && attempts < IMMEDIATE_RETRIES;
}

function failed(error: PlatformError, options: VerdictOptions): Verdict {
  const afterMs = Math.max(retryDelayMs(error, options), askedDelayMs(error, options));
  return {
    result: { kind: 'again', afterMs, failed: true },
    outcome: 'failed',
    reason: asReason(error.details.reason ?? error.code),
  };
}

/** What the other side asked for; it may be anybody, so not for longer than every key waits at most. */
function askedDelayMs({ details }: PlatformError, { resyncMs }: VerdictOptions): number {
  const { retryAfterMs = 0 } = details;
  return Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs, resyncMs) : 0;
}

function retryDelayMs(error: PlatformError, { attempts, resyncMs, backoff }: VerdictOptions): number {
  switch (error.retry) {
    case 'now':
      return isSilent(error, attempts) ? 0 : backoff.delayMs(attempts - IMMEDIATE_RETRIES);
    case 'backoff':
      return backoff.delayMs(attempts);
    case 'slow':
      return backoff.slowMs();
    case 'never':
      // Not a retry: the resync that every key gets. A change wakes the key before then.
      return backoff.spread(resyncMs);
  }
}

function again(afterMs: number): Extract<WorkResult, { kind: 'again' }> {
  return { kind: 'again', afterMs, failed: false };
}

/** Reasons are metric labels, so a free text must not become one. */
function asReason(reason: string): string {
  return REASON.test(reason) ? reason : 'Other';
}
