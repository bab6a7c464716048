import { findCondition, type AddOnInstallation } from '@crate/api';

const MINUTE_MS = 60_000;

/**
 * Milliseconds until what has been waited for that long is looked at again. Most of it is there, or gone, within seconds; what takes minutes
 * is not worth a look every second.
 */
export function pauseMs(waitedMs: number): number {
  if (waitedMs < MINUTE_MS) return 1000;
  return waitedMs < 10 * MINUTE_MS ? 5000 : 30_000;
}

/** The same of an installation that is not ready. */
export function unreadyPauseMs({ metadata, status }: AddOnInstallation, now: Date): number {
  const ready = findCondition(status?.conditions, 'Ready');
  // Until now: the wait begins with this pass.
  if (ready?.status === 'True') return pauseMs(0);
  const since = ready?.lastTransitionTime ?? metadata.creationTimestamp;
  return pauseMs(now.getTime() - Date.parse(since));
}
