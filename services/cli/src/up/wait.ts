import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 100;

/** Asks until the answer is true, at least once; false when `timeoutMs` passed or the signal fired first. */
export async function waitUntil(
  probe: () => Promise<boolean>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!signal?.aborted) {
    if (await probe()) return true;
    if (performance.now() >= deadline) return false;
    await delay(PAUSE_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
  return false;
}
