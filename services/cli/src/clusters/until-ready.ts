import { isConditionTrue, type Cluster } from '@crate/api';
import { PlatformError, timeout } from '@crate/errors';
import { formatDuration } from '../objects/duration.js';
import { createProgressView } from '../progress/progress-view.js';
import { whileItGoesOn } from '../interruption.js';
import { followCluster, reasonOf } from '../up/example.js';
import type { ClusterAt } from './cluster-at.js';

/** A timer that is to run longer runs out at once: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** As {@link untilReady}; Ctrl-C says that the platform goes on. */
export async function untilReadyOrLeft(at: ClusterAt, timeoutMs: number): Promise<void> {
  await whileClusterGoesOn(at, async () => untilReady(at, timeoutMs));
}

/** Waits for what the platform does with a cluster, whoever waits: Ctrl-C says so, and how to wait again. */
export async function whileClusterGoesOn(
  { name, namespace, apiFlags }: Pick<ClusterAt, 'name' | 'namespace' | 'apiFlags'>,
  work: () => Promise<void>,
): Promise<void> {
  const again = `crate wait cluster/${name} -n ${namespace} --for condition=Ready${apiFlags}`;
  await whileItGoesOn(`The platform goes on with cluster "${name}"; wait for it again with: ${again}`, work);
}

/**
 * Shows how a cluster comes along until it is Ready at its newest spec; `leftMs`: of a time in which more is waited for. Throws Timeout
 * that says why it is not.
 */
export async function untilReady(
  { api, name, path }: Pick<ClusterAt, 'api' | 'name' | 'path'>,
  timeoutMs: number,
  leftMs = timeoutMs,
): Promise<void> {
  const view = createProgressView(process.stderr);
  try {
    const cluster = await followCluster(api, path, view, AbortSignal.timeout(timerMs(leftMs)));
    if (!cluster) throw new PlatformError('NotFound', `Cluster "${name}" was deleted`);
    if (isReady(cluster)) return;
    throw timeout(`Cluster "${name}" is not Ready after ${formatDuration(timeoutMs)}: ${reasonOf(cluster)}`);
  } finally {
    view.close();
  }
}

/** A timer takes whole milliseconds. */
function timerMs(forMs: number): number {
  return Math.min(Math.ceil(forMs), LONGEST_TIMER_MS);
}

function isReady({ status, metadata }: Cluster): boolean {
  return isConditionTrue(status?.conditions, 'Ready', metadata.generation);
}
