import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { cutOff, isClosed } from './response-state.js';

/** A client that has taken nothing for this long is let go. */
const STALLED_AFTER_MS = 60_000;

/**
 * Waits until the client has taken what was written, or the signal aborts. False: it took nothing for so long that it is to be cut off,
 * as what it has not taken would never be.
 */
export async function isTaken(
  response: ServerResponse,
  signal: AbortSignal,
  stalledAfterMs = STALLED_AFTER_MS,
): Promise<boolean> {
  const stalled = AbortSignal.timeout(stalledAfterMs);
  // Rejects when a signal aborts: a client that stopped reading must not hold the answer open.
  await once(response, 'drain', { signal: AbortSignal.any([signal, stalled]) }).catch(() => undefined);
  return signal.aborted || !stalled.aborted;
}

/** Cuts an answer that was written in full off if it is not taken in time: until then it holds its place among the requests under way. */
export function cutOffUnlessTaken(response: ServerResponse, withinMs: number): void {
  if (!response.writableEnded || isClosed(response)) return;
  const timer = setTimeout(() => cutOff(response), withinMs);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}
