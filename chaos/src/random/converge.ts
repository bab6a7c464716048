import { setTimeout as delay } from 'node:timers/promises';
import type { Records } from '../world/records.js';
import { isReady, type KubeObject } from '../world/kube-object.js';

const LOOK_EVERY_MS = 500;

/** Milliseconds until everything was as asked; undefined when the time was over before. */
export async function untilConverged(records: Records, withinMs: number): Promise<number | undefined> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < withinMs) {
    if (await isConverged(records).catch(() => false)) return Math.round(performance.now() - startedAt);
    await delay(LOOK_EVERY_MS);
  }
  return undefined;
}

async function isConverged(records: Records): Promise<boolean> {
  const clusters = await records.objects('lifecycle', 'Cluster');
  const infrastructures = await records.objects('cloud_mgmt', 'Infrastructure');
  const kubernetes = await records.objects('cluster_mgmt', 'KubernetesCluster');
  const addOns = await records.objects('cluster_mgmt', 'AddOnInstallation');
  const isComplete = infrastructures.length === clusters.length && kubernetes.length === clusters.length;
  if (!isComplete || ![...clusters, ...infrastructures, ...kubernetes, ...addOns].every(isSettled)) return false;
  return (await records.runs()).every(({ state }) => state !== 'running');
}

function isSettled(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp === undefined && isReady(object);
}
