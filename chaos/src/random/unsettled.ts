import { isUnderWay } from '../invariants/plans.js';
import { conditionOf, explanationOf, isReady, nameOf, type KubeObject } from '../world/kube-object.js';
import type { Records } from '../world/records.js';
import { isAtRest } from '../world/rollout.js';

/**
 * What is not as it was asked for, with its own words; empty once everything is. With a question, also every Infrastructure that has not answered
 * it: that nothing differs from what was applied.
 */
export async function unsettledIn(records: Records, question?: string): Promise<readonly string[]> {
  const clusters = await records.objects('lifecycle', 'Cluster');
  const infrastructures = await records.objects('cloud_mgmt', 'Infrastructure');
  const kubernetes = await records.objects('cluster_mgmt', 'KubernetesCluster');
  const addOns = await records.objects('cluster_mgmt', 'AddOnInstallation');
  const plans = await records.objects('lifecycle', 'Plan');
  const classes = await records.objects('lifecycle', 'ClusterClass');
  return [
    ...incompleteOf(clusters.length, infrastructures.length, kubernetes.length),
    ...[...clusters, ...infrastructures, ...kubernetes, ...addOns].filter(isUnsettled).map((one) => stateOf(one)),
    ...plans.filter(isUnderWay).map((plan) => stateOf(plan)),
    ...classes.filter((one) => !isAtRest(one, clusters)).map((one) => stateOf(one, conditionOf(one, 'RolledOut'))),
    ...(question === undefined ? [] : await unansweredOf(records, infrastructures, question)),
    ...(await runningOf(records)),
  ];
}

function incompleteOf(clusters: number, infrastructures: number, kubernetes: number): readonly string[] {
  if (infrastructures === clusters && kubernetes === clusters) return [];
  return [`of ${clusters} Clusters there are ${infrastructures} Infrastructures and ${kubernetes} KubernetesClusters`];
}

function isUnsettled(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined || !isReady(object);
}

function stateOf(object: KubeObject, told = explanationOf(object)): string {
  if (told === undefined) return `${nameOf(object)} says nothing`;
  const { type, status, reason, message, observedGeneration = 0 } = told;
  const { generation = 1 } = object.metadata;
  const age = observedGeneration < generation ? ` (of generation ${observedGeneration}, not ${generation})` : '';
  return `${nameOf(object)}: ${type} is ${status}, ${reason}: ${message}${age}`;
}

async function unansweredOf(
  records: Records,
  infrastructures: readonly KubeObject[],
  question: string,
): Promise<readonly string[]> {
  const answers = await records.soundAnswers();
  return infrastructures
    .filter(({ metadata }) => answers.get(metadata.uid) !== question)
    .map((one) => `${nameOf(one)} has not answered that nothing differs`);
}

async function runningOf(records: Records): Promise<readonly string[]> {
  const running = (await records.runs()).filter(({ state }) => state === 'running');
  return running.map(({ id, owner }) => `run ${id} of ${owner} goes on`);
}
