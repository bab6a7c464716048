import { waitUntil } from './wait.js';

/** What ended this often while starting will not come up by itself; pauses in between grow. */
const START_ATTEMPTS = 5;
const HELD_EVERY_MS = 5_000;

export interface Readiness {
  readonly probe: () => Promise<boolean>;
  /** How often it ended by itself. */
  readonly restarts: () => number;
  /** What it waits for takes as long as it takes, such as a move that needs its database meanwhile. */
  readonly isHeld: () => Promise<boolean>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits until something that starts is ready; false when it takes too long, ends too often, or the signal fired. Neither counts while it is held.
 */
export async function becomesReady({ probe, restarts, isHeld, timeoutMs, signal }: Readiness): Promise<boolean> {
  let deadline = performance.now() + timeoutMs;
  let forgiven = 0;
  const isHopeless = (): boolean => restarts() - forgiven >= START_ATTEMPTS;
  const isDecided = async (): Promise<boolean> => isHopeless() || (await probe());
  while (!signal?.aborted) {
    const decided = await waitUntil(isDecided, Math.min(timeoutMs, HELD_EVERY_MS), signal);
    if (decided && !isHopeless()) return true;
    if (await isHeld()) {
      forgiven = restarts();
      deadline = performance.now() + timeoutMs;
    } else if (isHopeless() || performance.now() >= deadline) {
      return false;
    }
  }
  return false;
}
