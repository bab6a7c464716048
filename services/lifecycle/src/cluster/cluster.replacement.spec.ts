import { findCondition, type Infrastructure, type KubernetesCluster } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { APPROVED_PLAN_ANNOTATION, markText } from '../plan/approved-plan.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

const CONTROL_PLANE = ['demo-control-plane-0', 'demo-control-plane-1', 'demo-control-plane-2'];
const OLD = ['demo-workers-0', 'demo-workers-1'];
const NEW = ['demo-new-0', 'demo-new-1'];

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start({});
  await converge();
});

async function infrastructure(): Promise<Infrastructure> {
  return (await platform.infrastructures.find('demo', 'team-a'))!;
}

async function kubernetes(): Promise<KubernetesCluster> {
  return (await platform.kubernetesClusters.find('demo', 'team-a'))!;
}

async function nodes(): Promise<string[]> {
  return (await kubernetes()).spec.nodes.map(({ name }) => name).sort();
}

async function machines(): Promise<Record<string, number>> {
  return Object.fromEntries((await infrastructure()).spec.machineGroups.map(({ name, replicas }) => [name, replicas]));
}

async function machinesOf(pool: string): Promise<object | undefined> {
  return (await infrastructure()).spec.machineGroups.find(({ name }) => name === pool);
}

async function converge(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
  const { metadata, status } = (await platform.clusters.find('demo', 'team-a'))!;
  const ready = findCondition(status?.conditions, 'Ready');
  expect([ready?.status, ready?.observedGeneration]).toEqual(['True', metadata.generation]);
}

function pool(name: string, replicas: number): object {
  return { name, replicas, machineType: 'm5.xlarge' };
}

async function change(...nodePools: object[]): Promise<void> {
  await platform.clusters.merge('demo', 'team-a', { spec: { nodePools } });
}

/** What cluster-mgmt says of these nodes; all others are ready. */
async function tell(names: readonly string[], ready: boolean): Promise<void> {
  const found = await kubernetes();
  const seen = found.spec.nodes.map(({ name, role }) => ({ name, role, ready: true, version: 'v1.31.4' }));
  const known = seen.map((node) => (names.includes(node.name) ? { ...node, ready } : node));
  await platform.kubernetesClusters.saveStatus(found, { ...found.status, nodes: known });
}

describe('a change that replaces all workers', () => {
  it('keeps the old ones until a new one is a ready node', async () => {
    await change(pool('new', 2));
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForInfrastructure' });
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...OLD]);
    expect(await machines()).toEqual({ 'control-plane': 3, new: 2, workers: 2 });

    await platform.settleChildren();
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForKubernetes' });
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...NEW, ...OLD]);

    await tell(NEW, false);
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForKubernetes' });
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...NEW, ...OLD]);

    await tell(NEW, true);
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...NEW]);
    expect(await machines()).toEqual({ 'control-plane': 3, new: 2, workers: 2 });

    await converge();
    expect(await machines()).toEqual({ 'control-plane': 3, new: 2 });
  });

  it('keeps them while they are not ready themselves, as when their kubelets are away for a moment', async () => {
    await tell(OLD, false);
    await change(pool('new', 2));
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForInfrastructure' });
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...OLD]);
    await platform.settleChildren();
    await tell([...OLD, ...NEW], false);
    await platform.pass();
    await platform.pass();
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...NEW, ...OLD]);
  });

  it('is an empty pool that takes over as well, and the version waits for the end of it', async () => {
    await change(pool('workers', 2), pool('new', 0));
    await converge();
    const kubernetesChange = { kubernetes: { version: 'v1.31.8' } };
    await platform.clusters.merge('demo', 'team-a', {
      spec: { ...kubernetesChange, nodePools: [pool('workers', 0), pool('new', 2)] },
    });
    await platform.pass();
    expect(await machines()).toEqual({ 'control-plane': 3, new: 2, workers: 2 });
    await platform.settleChildren();
    await platform.pass();
    expect((await kubernetes()).spec).toMatchObject({ version: 'v1.31.4' });
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...NEW, ...OLD]);

    await converge();
    expect((await kubernetes()).spec).toMatchObject({ version: 'v1.31.8' });
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...NEW]);
    expect(await machines()).toEqual({ 'control-plane': 3, new: 2, workers: 0 });
  });

  it('gets another type, where that is to mend the worker that stays', async () => {
    await tell(['demo-workers-0'], false);
    await change({ name: 'workers', replicas: 1, machineType: 'm5.2xlarge', diskGiB: 200 });
    await platform.pass();
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...OLD]);
    expect(await machinesOf('workers')).toMatchObject({ replicas: 2, machineType: 'm5.2xlarge', diskGiB: 200 });
    await converge();
    expect(await machinesOf('workers')).toMatchObject({ replicas: 1, machineType: 'm5.2xlarge' });
  });

  it('leaves those of a pool that is emptied as they are', async () => {
    await change({ name: 'workers', replicas: 0, machineType: 'm5.2xlarge' }, pool('new', 2));
    await platform.pass();
    expect(await machinesOf('workers')).toMatchObject({ replicas: 2, machineType: 'm5.xlarge' });
  });

  it('is taken back without a node having left, such as when the cloud has no machines', async () => {
    await change(pool('new', 2));
    await platform.pass();
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...OLD]);
    await change(pool('workers', 2));
    await converge();
    expect(await nodes()).toEqual([...CONTROL_PLANE, ...OLD]);
    expect(await machines()).toEqual({ 'control-plane': 3, workers: 2 });
  });
});

describe('nodes leave first', () => {
  it.each([
    { reason: 'where a worker stays', pools: [pool('workers', 1), pool('new', 2)] },
    { reason: 'where no worker is to be there', pools: [pool('workers', 0)] },
    { reason: 'where the engine cannot keep both', pools: [pool('new', 107)] },
  ])('$reason', async ({ pools }) => {
    await change(...pools);
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    expect(await nodes()).not.toContain('demo-workers-1');
  });

  it('where an approved plan says what the cloud does', async () => {
    const mark = { name: 'plan', uid: 'uid', digest: 'd' };
    const { generation } = (await platform.clusters.find('demo', 'team-a'))!.metadata;
    const annotations = { [APPROVED_PLAN_ANNOTATION]: markText({ ...mark, generation: generation + 1 }) };
    await platform.clusters.merge('demo', 'team-a', {
      metadata: { annotations },
      spec: { nodePools: [pool('new', 2)] },
    });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    expect(await nodes()).toEqual(CONTROL_PLANE);
  });
});
