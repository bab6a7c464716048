import { setTimeout as delay } from 'node:timers/promises';
import { isAtRest } from '../invariants/classes.js';
import { isUnderWay } from '../invariants/plans.js';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { FairTime } from '../platform/fair-time.js';
import type { Records } from '../world/records.js';
import { isReady, type KubeObject } from '../world/kube-object.js';

const LOOK_EVERY_MS = 500;
/** However busy the machine is with other things. */
const LONGEST_SHARE = 4;

/**
 * Milliseconds of fair time until everything was as asked; undefined when the time was over before. With a question, until every Infrastructure has answered
 * it, too: that nothing differs from what was applied.
 */
export async function untilConverged(
  platform: Pick<ChaosPlatform, 'records' | 'pids'>,
  withinMs: number,
  question?: string,
): Promise<number | undefined> {
  const startedAt = performance.now();
  const time = new FairTime();
  let spentMs = 0;
  while (spentMs < withinMs && performance.now() - startedAt < LONGEST_SHARE * withinMs) {
    if (await isConverged(platform.records, question).catch(() => false)) return Math.round(spentMs);
    await delay(LOOK_EVERY_MS);
    spentMs += time.since([process.pid, ...Object.values(await platform.pids().catch(() => ({})))]);
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
  const classes = await records.objects('lifecycle', 'ClusterClass');
  if (!classes.every((one) => isAtRest(one, clusters))) return false;
  if (question !== undefined) {
    const answers = await records.soundAnswers();
    if (!infrastructures.every(({ metadata }) => answers.get(metadata.uid) === question)) return false;
  }
  return (await records.runs()).every(({ state }) => state !== 'running');
}

function isSettled(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp === undefined && isReady(object);
}
