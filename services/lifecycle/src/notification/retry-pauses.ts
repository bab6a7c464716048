import type { Outcome } from './outbox.js';

export interface RetryOptions {
  /** After a first failure; it doubles with each. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** Longest pause of a channel whose receiver is away: other messages may fare better than the one that failed. */
const LONGEST_CHANNEL_PAUSE_MS = 60_000;

/** For how long a message and its channel wait after an attempt that failed; what the receiver asks for counts, if it is more. */
export function retryPauses(
  { retryAfterMs = 0, outstanding }: Pick<Outcome, 'retryAfterMs' | 'outstanding'>,
  failures: { readonly ofMessage: number; readonly inARow: number },
  options: RetryOptions,
): { readonly messageMs: number; readonly channelMs: number } {
  const { retryMs, longestRetryMs, random = Math.random } = options;
  // Half of it is certain, so that nobody is asked again at once; the other half spreads those who failed together.
  const pause = (count: number, longest: number): number => {
    const full = Math.min(longest, retryMs * 2 ** Math.min(count - 1, 30));
    return Math.round(full * (0.5 + random() / 2));
  };
  const channelMs = pause(failures.inARow, Math.min(longestRetryMs, LONGEST_CHANNEL_PAUSE_MS));
  return {
    messageMs: Math.max(retryAfterMs, pause(failures.ofMessage, longestRetryMs)),
    // Some took it: nobody is away, and the next message is for them too.
    channelMs: outstanding ? 0 : Math.max(retryAfterMs, channelMs),
  };
}
