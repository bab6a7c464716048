import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, isPlatformError } from '@crate/errors';
import { wasNeverSent } from './repeatable.js';

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;

/** How often and how patiently a call is tried again. */
export interface RetryOptions {
  /** Calls in all; default 4. 1: never again. */
  readonly attempts?: number;
  /** A server that asks for more patience than this is not waited for; default 30 s. */
  readonly maxDelayMs?: number;
}

/**
 * Calls again what the server was too busy for or could not be reached for, after the time it asks for or with growing pauses.
 * `isRepeatable`: whether a call whose outcome is not known may be made twice; a refusal (429) never did anything, nor did
 * what never reached the server. What is to be tried again slowly, as a plugin that gives no token, is left to the caller.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  { attempts = 4, maxDelayMs = 30_000 }: RetryOptions,
  { isRepeatable, signal }: { readonly isRepeatable: boolean; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const waitMs = pauseAfter(error, attempt);
      const isWorthwhile = attempt < attempts && waitMs <= maxDelayMs && isTemporary(error, isRepeatable);
      if (!isWorthwhile || signal?.aborted) throw error;
      await delay(waitMs, undefined, signal ? { signal } : {});
    }
  }
}

function isTemporary(error: unknown, isRepeatable: boolean): boolean {
  if (!isPlatformError(error) || error.retry === 'slow') return false;
  const code = errorCode(error);
  if (code === 'TooManyRequests') return true;
  return (isRepeatable || wasNeverSent(error)) && (code === 'Unavailable' || code === 'Timeout');
}

/** What the server asked for, or a time that doubles, with some chance so that many clients do not return at once. */
function pauseAfter(error: unknown, attempt: number): number {
  const asked = isPlatformError(error) ? error.details.retryAfterMs : undefined;
  if (asked !== undefined) return asked;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS) * (0.5 + Math.random() / 2);
}
