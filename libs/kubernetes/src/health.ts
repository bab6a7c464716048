import { isPlatformError } from '@crate/errors';
import type { TargetCluster } from './target-cluster.js';

/** What one look at a cluster's API found. */
export type Health =
  | { readonly healthy: true; readonly version: string }
  | { readonly healthy: false; readonly reason: string; readonly message: string };

/** Asks the API server for its version, and gives up after `withinMs`. Never throws. */
export async function checkHealth(cluster: TargetCluster, withinMs: number, signal?: AbortSignal): Promise<Health> {
  const deadline = AbortSignal.timeout(withinMs);
  try {
    const version = await cluster.version(signal ? AbortSignal.any([signal, deadline]) : deadline);
    return { healthy: true, version };
  } catch (error) {
    if (deadline.aborted)
      return { healthy: false, reason: 'ConnectionDown', message: 'The API server does not answer' };
    const message = error instanceof Error ? error.message : String(error);
    const reason = isPlatformError(error) ? (error.details.reason ?? error.code) : 'ConnectionDown';
    return { healthy: false, reason, message };
  }
}
