import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { POD } from '../kinds/pod.js';
import { aDeployment } from '../testing/manifests.js';
import { TestCluster } from '../testing/running-cluster.js';
import { budgetAgainst } from './disruption-budgets.js';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start();
});
afterEach(() => cluster.stop());

/** What keeps a pod of a Deployment with two replicas. */
async function keeper(spec: object, labels: object = { app: 'web' }): Promise<string | undefined> {
  const metadata = { name: 'web', namespace: 'default' };
  const pods = aDeployment({ replicas: 2 }, { volumes: [], containers: [{ name: 'nginx', image: 'nginx:1.27' }] });
  await cluster.apply(pods, {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata },
    spec: { selector: { matchLabels: labels }, ...spec },
  });
  const [pod] = cluster.list(POD);
  return pod && budgetAgainst(pod, cluster.running.scope.cache)?.metadata.name;
}

describe('a disruption budget', () => {
  it.each([
    { name: 'all must stay', spec: { minAvailable: 2 }, want: 'web' },
    { name: 'all must stay, as a share', spec: { minAvailable: '51%' }, want: 'web' },
    { name: 'one must stay', spec: { minAvailable: 1 }, want: undefined },
    { name: 'none may be missing', spec: { maxUnavailable: 0 }, want: 'web' },
    { name: 'one may be missing', spec: { maxUnavailable: 1 }, want: undefined },
  ])('keeps a pod when $name: $want', async ({ spec, want }) => {
    expect(await keeper(spec)).toBe(want);
  });

  it('keeps no pod that it does not select', async () => {
    expect(await keeper({ minAvailable: 2 }, { app: 'other' })).toBeUndefined();
  });
});
