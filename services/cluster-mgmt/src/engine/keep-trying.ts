import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '@crate/errors';

/** As long as a database may take to move to another host. */
const KEEP_TRYING_MS = 60_000;
const PAUSE_MS = 500;

/**
 * Does `step`, which has to be idempotent, again and again while it fails because somebody is away. Throws what it fails with otherwise, and
 * after `withinMs`.
 */
export async function keepTrying(step: () => Promise<void>, withinMs = KEEP_TRYING_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const isAway = hasCode(error, 'Unavailable', 'Timeout');
      if (!isAway || performance.now() >= deadline) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
