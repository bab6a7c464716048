import { isConditionTrue, type Cluster } from '@crate/api';
import { PlatformError, timeout } from '@crate/errors';
import { formatDuration } from '../objects/duration.js';
import { createProgressView } from '../progress/progress-view.js';
import { followCluster, reasonOf } from '../up/example.js';
import type { ClusterAt } from './cluster-at.js';

/** Shows how a cluster comes along until it is Ready at its newest spec. Throws Timeout that says why it is not. */
export async function untilReady({ api, name, path }: ClusterAt, timeoutMs: number): Promise<void> {
  const view = createProgressView(process.stderr);
  try {
    const cluster = await followCluster(api, path, view, AbortSignal.timeout(timeoutMs));
    if (!cluster) throw new PlatformError('NotFound', `Cluster "${name}" was deleted`);
    if (isReady(cluster)) return;
    throw timeout(`Cluster "${name}" is not Ready after ${formatDuration(timeoutMs)}: ${reasonOf(cluster)}`);
  } finally {
    view.close();
  }
}

function isReady({ status, metadata }: Cluster): boolean {
  return isConditionTrue(status?.conditions, 'Ready', metadata.generation);
}
