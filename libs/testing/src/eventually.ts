import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Default 60,000: machines may be busy, and a condition that comes true costs no wait. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/**
 * Calls `probe` until it neither throws nor gives `false`, and returns what it gave.
 * Looks often at first and less often later; rethrows the last error when the time is over.
 */
export async function eventually<T>(probe: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<T> {
  const deadline = performance.now() + (options.timeoutMs ?? TIMEOUT_MS);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const late = performance.now() >= deadline;
    try {
      const value = await probe();
      if (value !== false) return value;
      if (late) throw new Error('Condition did not come true in time');
    } catch (error) {
      if (late) throw error;
    }
    await delay(pauseMs);
  }
}
