import type { PostgresResourceStore } from '@crate/resource-store';
import type { Logger } from '@crate/telemetry';
import type { HostConfig } from './host-config.js';

/** Forgets old changes from time to time, until the returned function is called. Replicas may all do so. */
export function keepHistory(
  store: Pick<PostgresResourceStore, 'expire'>,
  { maxAgeMs, checkMs }: HostConfig['history'],
  logger: Logger,
): () => void {
  const timer = setInterval(() => {
    // Without a database there is nothing to forget it in; the next round does it.
    store.expire(maxAgeMs).catch((error: unknown) => logger.warn('Failing to forget old changes', { error }));
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}
