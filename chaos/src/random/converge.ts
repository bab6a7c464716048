import { setTimeout as delay } from 'node:timers/promises';
import { isUnderWay } from '../invariants/plans.js';
import type { Records } from '../world/records.js';
import { isReady, type KubeObject } from '../world/kube-object.js';

const LOOK_EVERY_MS = 500;

/**
 * Milliseconds until everything was as asked; undefined when the time was over before. With a question, until every Infrastructure has answered
 * it, too: that nothing differs from what was applied.
 */
export async function untilConverged(
  records: Records,
  withinMs: number,
  question?: string,
): Promise<number | undefined> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < withinMs) {
    if (await isConverged(records, question).catch(() => false)) return Math.round(performance.now() - startedAt);
    await delay(LOOK_EVERY_MS);
  }
  return undefined;
}

async function isConverged(records: Records, question: string | undefined): Promise<boolean> {
  const clusters = await records.objects('lifecycle', 'Cluster');
  const infrastructures = await records.objects('cloud_mgmt', 'Infrastructure');
  const kubernetes = await records.objects('cluster_mgmt', 'KubernetesCluster');
  const addOns = await records.objects('cluster_mgmt', 'AddOnInstallation');
  const isComplete = infrastructures.length === clusters.length && kubernetes.length === clusters.length;
  if (!isComplete || ![...clusters, ...infrastructures, ...kubernetes, ...addOns].every(isSettled)) return false;
  if ((await records.objects('lifecycle', 'Plan')).some(isUnderWay)) return false;
  if (question !== undefined) {
    const answers = await records.soundAnswers();
    if (!infrastructures.every(({ metadata }) => answers.get(metadata.uid) === question)) return false;
  }
  return (await records.runs()).every(({ state }) => state !== 'running');
}

function isSettled(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp === undefined && isReady(object);
}
