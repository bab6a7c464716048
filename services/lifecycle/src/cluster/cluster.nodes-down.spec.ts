import { ADD_ON, findCondition, type Cluster, type Condition, type KubernetesClusterStatus } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { anAddOn, anInstallation } from '../testing/a-cluster.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

const BROKEN = 'demo-workers-1';

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start({ addOns: [{ name: 'docs' }] });
  for (let turn = 0; turn < 10; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
});

async function cluster(): Promise<Cluster> {
  return (await platform.clusters.find('demo', 'team-a'))!;
}

async function change(spec: object): Promise<void> {
  await platform.clusters.merge('demo', 'team-a', { spec });
}

async function installed(): Promise<string[]> {
  return (await platform.installations.list({ namespace: 'team-a' }))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => spec.addOn)
    .sort();
}

/** What cluster-mgmt says of it from now on. */
async function tell(untrue: readonly string[], broken: readonly string[] = []): Promise<void> {
  const found = (await platform.kubernetesClusters.find('demo', 'team-a'))!;
  const { conditions = [], nodes = [] } = found.status!;
  const status: KubernetesClusterStatus = {
    ...found.status!,
    conditions: conditions.map((each) => (untrue.includes(each.type) ? { ...each, status: 'False' as const } : each)),
    nodes: nodes.map((node) => ({ ...node, ready: !broken.includes(node.name) })),
  };
  await platform.kubernetesClusters.saveStatus(found, status);
}

async function settle(addOn: string, condition?: Condition): Promise<void> {
  const found = (await platform.installations.find(`demo-${addOn}`, 'team-a'))!;
  await platform.installations.saveStatus(found, anInstallation(addOn, condition).status);
}

async function passes(count = 4): Promise<void> {
  for (let pass = 0; pass < count; pass += 1) await platform.pass();
}

describe('a cluster with a node that is not ready', () => {
  beforeEach(() => tell(['Ready', 'NodesReady'], [BROKEN]));

  it('gets add-ons, and is not Ready itself', async () => {
    await platform.for(ADD_ON).ensure({ metadata: { name: 'late' }, spec: anAddOn('late').spec }, 'test');
    await change({ addOns: [{ name: 'docs' }, { name: 'late' }] });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOns' });
    expect(await installed()).toEqual(['baseline', 'docs', 'late']);
    await settle('late');

    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForKubernetes' });
    const { status } = await cluster();
    expect(findCondition(status?.conditions, 'Ready')).toMatchObject({
      ...{ status: 'False', reason: 'WaitingForKubernetes' },
    });
    expect(findCondition(status?.conditions, 'AddOnsReady')?.status).toBe('True');
    expect(status?.phases?.map(({ name, state }) => `${name} ${state}`)).toEqual([
      ...['Policy Done', 'Infrastructure Done', 'Kubernetes Running', 'Add-ons Done'],
    ]);
  });

  it('writes nothing in the pass after', async () => {
    await platform.pass();
    const before = await platform.store.currentRevision();
    await platform.pass();
    expect(await platform.store.currentRevision()).toBe(before);
  });

  it('loses those that it asks for no longer', async () => {
    await change({ addOns: [] });
    await passes();
    expect(await installed()).toEqual([]);
  });

  it('gets those that do not need one that lacks the node', async () => {
    for (const addOn of [anAddOn('late'), anAddOn('later', 'docs')]) {
      await platform.for(ADD_ON).ensure({ metadata: { name: addOn.metadata.name }, spec: addOn.spec }, 'test');
    }
    await settle('docs', { ...anInstallation('docs').status!.conditions![0]!, status: 'False' });
    await change({ addOns: [{ name: 'docs' }, { name: 'late' }, { name: 'later' }] });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOns' });
    expect(await installed()).toEqual(['baseline', 'docs', 'late']);
  });
});
