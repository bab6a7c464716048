import { hasCode } from '@crate/errors';

/** How soon somebody who may no longer look stops seeing what comes. */
export const LOOK_AGAIN_MS = 5_000;

/** Access that is looked at again as long as an answer goes on. */
export interface StandingAccess {
  /** Aborts once access is refused. */
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Calls `check` every now and then. Only a refusal ends the access: a check that cannot be made says nothing of what would
 * come out of it.
 */
export function standingAccess(check: () => Promise<void>, everyMs = LOOK_AGAIN_MS): StandingAccess {
  const ended = new AbortController();
  const timer = setInterval(() => {
    check().catch((error: unknown) => {
      if (hasCode(error, 'Forbidden', 'Unauthenticated')) ended.abort();
    });
  }, everyMs);
  timer.unref();
  return { signal: ended.signal, stop: () => clearInterval(timer) };
}
