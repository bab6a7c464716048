import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NODE } from '../kinds/core.js';
import { POD } from '../kinds/pod.js';
import { aDeployment } from '../testing/manifests.js';
import { TestCluster } from '../testing/running-cluster.js';
import { drainNode } from './drain-node.js';
import { RunFailure } from './run-events.js';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start();
});
afterEach(() => cluster.stop());

/** The node of a pod of a Deployment that a budget looks after. */
async function nodeWithPod(budget: object): Promise<string> {
  const pods = aDeployment({ replicas: 2 }, { volumes: [], containers: [{ name: 'nginx', image: 'nginx:1.27' }] });
  const metadata = { name: 'web', namespace: 'default' };
  const spec = { selector: { matchLabels: { app: 'web' } }, ...budget };
  await cluster.apply(pods, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec });
  return cluster.list(POD)[0]?.spec.nodeName ?? '';
}

describe('draining a node', () => {
  it('takes pods away that their budget lets go', async () => {
    const node = await nodeWithPod({ minAvailable: 0 });
    const before = cluster.list(POD).map(({ metadata }) => metadata.uid);
    await drainNode(cluster.running.scope, node, 0);

    const stayed = cluster
      .list(POD)
      .filter(({ metadata, spec }) => before.includes(metadata.uid) && spec.nodeName === node);
    expect(stayed.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
    expect(cluster.list(NODE).map(({ metadata }) => metadata.name)).toContain(node);
  });

  it('fails in the words of the engine when a budget keeps a pod', async () => {
    const node = await nodeWithPod({ minAvailable: 2 });

    const draining = drainNode(cluster.running.scope, node, 0);
    await expect(draining).rejects.toThrow(RunFailure);
    await expect(draining).rejects.toThrow(
      new RegExp(`^error draining node ${node}: error when evicting pods/"\\S+" -n "default": global timeout reached`),
    );
  });
});
