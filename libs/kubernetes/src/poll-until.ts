import { setTimeout as delay } from 'node:timers/promises';

export interface Patience {
  readonly signal: AbortSignal;
  /** Ten seconds unless said otherwise. */
  readonly patienceMs?: number;
}

const POLL_MS = 200;

/** Looks until it is done; false when it was not in time. Looks once at least. Rejects when the signal fires. */
export async function pollUntil(
  { signal, patienceMs = 10_000 }: Patience,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    if (await isDone()) return true;
    if (waitedMs >= patienceMs) return false;
    await delay(POLL_MS, undefined, { signal });
  }
}
