import { describe, expect, it } from '@jest/globals';
import { CLUSTER_UID_LABEL, isConditionTrue, type Cluster, type KubeObject } from '@crate/api';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';
import { Killer } from '../testing/killer.js';
import { CLUSTER_FINALIZER } from './cluster.reconciler.js';

const TURNS = 60;
const NEVER = Number.MAX_SAFE_INTEGER;

/** What a person does with a cluster, in order; each is followed by passes until the cluster is Ready, or gone. */
const STEPS: readonly ((platform: InMemoryPlatform) => Promise<unknown>)[] = [
  (platform) => platform.start(),
  (platform) => scaleWorkers(platform, 4),
  (platform) => scaleWorkers(platform, 1),
  (platform) => platform.clusters.merge('demo', 'team-a', { spec: { addOns: [] } }),
  (platform) => platform.clusters.remove('demo', 'team-a'),
];

async function scaleWorkers(platform: InMemoryPlatform, replicas: number): Promise<void> {
  const nodePools = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
  await platform.clusters.merge('demo', 'team-a', { spec: { nodePools } });
}

async function findCluster(platform: InMemoryPlatform): Promise<Cluster | undefined> {
  return platform.clusters.find('demo', 'team-a');
}

async function children(platform: InMemoryPlatform): Promise<readonly KubeObject[]> {
  const lists = [platform.kubernetesClusters, platform.infrastructures, platform.installations] as const;
  return (await Promise.all(lists.map((client): Promise<readonly KubeObject[]> => client.list()))).flat();
}

/** Nothing may exist that a deletion would leave behind. */
async function expectNoOrphans(platform: InMemoryPlatform): Promise<void> {
  const cluster = await findCluster(platform);
  for (const child of await children(platform)) {
    expect(child.metadata.labels?.[CLUSTER_UID_LABEL]).toBe(cluster?.metadata.uid);
    expect(cluster?.metadata.finalizers).toEqual([CLUSTER_FINALIZER]);
  }
}

async function settle(platform: InMemoryPlatform, killer: Killer): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await platform.pass();
    await expectNoOrphans(platform);
    killer.restart();
    await platform.settleChildren();
    const cluster = await findCluster(platform);
    if (!cluster || isConditionTrue(cluster.status?.conditions, 'Ready', cluster.metadata.generation)) return;
  }
  throw new Error('Did not converge');
}

/** What exists at the end of every step, apart from what is another one in every life: ids, times, revisions, and who wrote last. */
async function live(killer: Killer): Promise<readonly unknown[]> {
  const platform = new InMemoryPlatform(killer.wrap);
  const ends: unknown[] = [];
  for (const step of STEPS) {
    await step(platform);
    await settle(platform, killer);
    const cluster = await findCluster(platform);
    const all = [...(cluster ? [cluster] : []), ...(await children(platform))];
    ends.push(all.map((object) => JSON.parse(JSON.stringify(object, withoutIdentity)) as unknown));
  }
  return ends;
}

function withoutIdentity(key: string, value: unknown): unknown {
  const differs = ['uid', 'managedFields', 'clusterUid', CLUSTER_UID_LABEL, 'resourceVersion', 'time', 'traceId'];
  return differs.includes(key) || key.endsWith('Timestamp') || key.endsWith('TransitionTime') ? undefined : value;
}

describe('a cluster whose reconciler is killed', () => {
  it.each([
    { afterwards: false, reason: 'before the write is done' },
    { afterwards: true, reason: 'when it is done but not answered' },
  ])(
    'at any of its writes, $reason, ends the same',
    async ({ afterwards }) => {
      const undisturbed = await live(new Killer(NEVER, afterwards));
      expect(undisturbed.map((objects) => (objects as unknown[]).length)).toEqual([5, 5, 5, 3, 0]);

      let deadly = 0;
      for (let isOver = false; !isOver;) {
        deadly += 1;
        const killer = new Killer(deadly, afterwards);
        const ends = await live(killer);
        isOver = !killer.hasStruck;
        expect({ deadly, ends }).toEqual({ deadly, ends: undisturbed });
      }
      expect(deadly).toBeGreaterThan(30);
    },
    120_000,
  );
});
