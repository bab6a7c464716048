import { ADD_ON, findCondition, type Cluster, type Condition, type KubernetesClusterStatus } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { anAddOn, anInstallation, heldUp } from '../testing/a-cluster.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

const BROKEN = 'demo-workers-1';
const UPGRADE = { kubernetes: { version: 'v1.31.8' } };

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

async function version(): Promise<string | undefined> {
  return (await platform.kubernetesClusters.find('demo', 'team-a'))!.spec.version;
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

describe('an add-on that leaves', () => {
  it('goes before an upgrade begins', async () => {
    await change({ ...UPGRADE, addOns: [] });
    await platform.installations.merge('demo-docs', 'team-a', { metadata: { finalizers: ['a.b/c'] } });
    await settle('docs');
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOnRemoval' });
    expect(await installed()).toEqual(['baseline']);
    expect(await version()).toBe('v1.31.4');
    expect((await cluster()).status?.progress?.message).toContain('Waiting for add-ons to leave');

    await platform.installations.merge('demo-docs', 'team-a', { metadata: { finalizers: [] } });
    await passes();
    expect(await installed()).toEqual([]);
    expect(await version()).toBe('v1.31.8');
  });

  it('goes while an upgrade cannot get on, maybe for its pods', async () => {
    await change(UPGRADE);
    await passes();
    await tell(['Ready']);
    await change({ addOns: [] });
    await passes();
    expect(await installed()).toEqual([]);
  });

  it('goes while nodes leave, maybe not for its pods', async () => {
    await change({ nodePools: [{ name: 'workers', replicas: 1, machineType: 'm5.xlarge' }] });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    await change({ addOns: [] });
    await passes();
    expect(await installed()).toEqual([]);
  });

  it('goes where no node is ready', async () => {
    await tell(['Ready', 'NodesReady'], ['demo-workers-0', BROKEN]);
    await change({ addOns: [] });
    await passes();
    expect(await installed()).toEqual([]);
  });

  it('stays while nobody answers for the cluster: it could not be told whether it has gone', async () => {
    await tell(['Ready', 'ControlPlaneReady']);
    await change({ ...UPGRADE, addOns: [] });
    await passes();
    expect(await installed()).toEqual(['baseline', 'docs']);
  });

  it('keeps an upgrade waiting no longer than other add-ons', async () => {
    await platform.installations.merge('demo-docs', 'team-a', { metadata: { finalizers: ['a.b/c'] } });
    await change({ addOns: [{ name: 'baseline' }] });
    await platform.pass();
    const found = (await platform.installations.find('demo-docs', 'team-a'))!;
    await platform.installations.saveStatus(found, heldUp('docs').status);
    await change(UPGRADE);
    await passes();
    expect(await version()).toBe('v1.31.8');
  });

  it.each([
    {
      reason: 'a recovery holds removals',
      prepare: async () => void (platform.setBack = SET_BACK),
      spec: { addOns: [] },
    },
    {
      reason: 'what it asks for cannot be told',
      prepare: async () => void (await platform.for(ADD_ON).remove('docs')),
      spec: {},
    },
  ])('keeps no upgrade waiting where $reason', async ({ prepare, spec }) => {
    await prepare();
    await change({ ...UPGRADE, ...spec });
    await passes();
    expect(await version()).toBe('v1.31.8');
    expect(await installed()).toEqual(['baseline', 'docs']);
  });
});

const SET_BACK = { epoch: 1, begunAt: new Date('2099-01-01T00:00:00Z'), reason: 'older' };
