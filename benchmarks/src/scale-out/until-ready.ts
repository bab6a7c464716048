import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, WatchEvent } from '@crate/api';
import { hasCode, timeout } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';
import { isReady, NAMESPACE } from '../bench-cluster.js';

const PATIENCE_MS = { base: 600_000, each: 60_000 } as const;
const TOLD_EVERY_MS = 15_000;
/** A watch that ends early is no reason to list clusters without end. */
const LEAST_PAUSE_MS = 250;
const CLUSTERS = ['lifecycle.crate.dev/v1alpha1', 'Cluster'] as const;

/**
 * Resolves once all of them are Ready at the same time. They are followed, not listed over and over: looking is done by the processors that
 * are measured. Throws Timeout when it takes far too long.
 */
export async function untilAllReady(
  api: TargetCluster,
  names: readonly string[],
  startedAt: number,
  say: (line: string) => void,
): Promise<void> {
  for (;;) {
    const { items, resourceVersion } = await api.list(...CLUSTERS, { namespace: NAMESPACE });
    const ready = new Set((items as readonly Cluster[]).filter(isReady).map(({ metadata }) => metadata.name));
    const areAll = (): boolean => names.every((name) => ready.has(name));
    if (areAll()) return;
    const forMs = performance.now() - startedAt;
    const text = `${ready.size} of ${names.length} clusters are Ready after ${(forMs / 1000).toFixed(0)} s`;
    if (forMs > PATIENCE_MS.base + PATIENCE_MS.each * names.length) throw timeout(text);
    say(text);
    const note = (event: WatchEvent): boolean => noted(ready, event) && areAll();
    if (await follow(api, resourceVersion, note)) return;
    await delay(LEAST_PAUSE_MS);
  }
}

/** True once `isLast` was; false when it is time to tell how far they are. */
async function follow(
  api: TargetCluster,
  resourceVersion: string,
  isLast: (event: WatchEvent) => boolean,
): Promise<boolean> {
  const ended = new AbortController();
  const options = { namespace: NAMESPACE, resourceVersion, timeoutMs: TOLD_EVERY_MS };
  try {
    for await (const event of api.watch(...CLUSTERS, options, ended.signal)) if (isLast(event)) return true;
  } catch (error) {
    if (!hasCode(error, 'Gone')) throw error;
  } finally {
    ended.abort();
  }
  return false;
}

/** Whether one more is Ready, or still is. */
function noted(ready: Set<string>, { type, object }: WatchEvent): boolean {
  const isOne = type !== 'BOOKMARK' && type !== 'DELETED' && isReady(object as Cluster);
  if (isOne) ready.add(object.metadata.name);
  else ready.delete(object.metadata.name);
  return isOne;
}
