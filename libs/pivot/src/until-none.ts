import type { PlatformError } from '@crate/errors';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 500;
const MOST_NAMED = 5;

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Told when what is left has changed. */
  readonly onWaiting?: (left: readonly string[]) => void;
}

/** Returns when a look finds nothing. Throws the refusal of what is left once the time is over. */
export async function untilNone(
  look: () => Promise<readonly string[]>,
  { timeoutMs, signal, onWaiting }: WaitOptions,
  refusal: (left: readonly string[]) => PlatformError,
): Promise<void> {
  const until = Date.now() + timeoutMs;
  for (let before = ''; ; await delay(LOOK_EVERY_MS)) {
    signal?.throwIfAborted();
    const left = await look();
    if (left.length === 0) return;
    if (before !== (before = left.join())) onWaiting?.(left);
    if (Date.now() > until) throw refusal(left);
  }
}

/** The first few of them, and how many more there are. */
export function named(left: readonly string[]): string {
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
  return `${left.slice(0, MOST_NAMED).join(', ')}${more}`;
}
