import { findCondition, type Cluster } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

/** After all that the tests make. */
const SET_BACK = { epoch: 1, begunAt: new Date('2100-01-01T00:00:00Z'), reason: 'older' };
const HELD = { code: 'Forbidden', details: { reason: 'Recovering' } };

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start();
  for (let turn = 0; turn < 12; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
});

async function cluster(): Promise<Cluster | undefined> {
  return platform.clusters.find('demo', 'team-a');
}

/** Children that nobody has asked to go. */
async function childrenThatStay(): Promise<string[]> {
  const all = [
    ...(await platform.infrastructures.list()),
    ...(await platform.kubernetesClusters.list()),
    ...(await platform.installations.list()),
  ];
  return all.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ kind }) => kind);
}

describe('a cluster, while the database is older than the world', () => {
  it('asks no child to go when its deletion was asked for, and says why', async () => {
    const before = await childrenThatStay();
    expect(before).toHaveLength(4);
    await platform.clusters.remove('demo', 'team-a');
    platform.setBack = SET_BACK;

    expect(await platform.pass()).toMatchObject(HELD);
    expect(await childrenThatStay()).toEqual(before);
    const { status } = (await cluster()) ?? {};
    expect(status?.failure).toMatchObject({ code: 'Recovering', remedy: expect.stringContaining('crate recovery') });
    expect(status?.deletion?.blockers).toMatchObject([{ kind: 'Cluster', reason: 'Recovering' }]);
  });

  it('keeps add-ons that it does not ask for', async () => {
    await platform.clusters.merge('demo', 'team-a', { spec: { addOns: [] } });
    platform.setBack = SET_BACK;
    for (let turn = 0; turn < 4; turn += 1) {
      await platform.pass();
      await platform.settleChildren();
    }

    expect(await platform.pass()).toMatchObject({ ...HELD, message: expect.stringContaining('baseline, docs') });
    expect((await platform.installations.list()).every(({ metadata }) => !metadata.deletionTimestamp)).toBe(true);
  });

  it('goes on when somebody has confirmed', async () => {
    await platform.clusters.remove('demo', 'team-a');
    platform.setBack = SET_BACK;
    await platform.pass();
    platform.setBack = undefined;
    for (let turn = 0; turn < 12 && (await cluster()); turn += 1) await platform.pass();

    expect(await cluster()).toBeUndefined();
  });
});

describe('a cluster that nothing was made for when the database was set back', () => {
  it('may be deleted, with what was made since', async () => {
    platform = new InMemoryPlatform();
    await platform.start({ paused: true });
    await platform.pass();
    const begunAt = new Date(Date.now() + 60_000);
    platform.setBack = { ...SET_BACK, begunAt };
    platform.now = () => new Date(begunAt.getTime() + 60_000);
    await platform.clusters.merge('demo', 'team-a', { spec: { paused: false } });
    await platform.pass();
    expect(await childrenThatStay()).not.toEqual([]);

    await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 12 && (await cluster()); turn += 1) await platform.pass();
    expect(await cluster()).toBeUndefined();
    expect(await childrenThatStay()).toEqual([]);
  });
});

describe('a cluster with a node that nobody asks for', () => {
  it('names what it waits for, in the words of who knows', async () => {
    const [kubernetes] = await platform.kubernetesClusters.list();
    if (!kubernetes) throw new Error('There is no KubernetesCluster');
    const message = 'Waiting for nodes to leave: demo-workers-7; nobody asks for them';
    const conditions = [
      {
        type: 'Ready',
        status: 'False' as const,
        reason: 'WaitingForNodesToLeave',
        message,
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration: kubernetes.metadata.generation,
      },
    ];
    const nodes = [{ name: 'demo-workers-7', role: 'worker' as const, ready: true, version: 'v1.31.4' }];
    await platform.kubernetesClusters.saveStatus(kubernetes, { ...kubernetes.status, conditions, nodes });

    expect(await platform.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForNodesToLeave' });
    const { status } = (await cluster()) ?? {};
    expect(status?.progress?.message).toContain('demo-workers-7; nobody asks for them');
    expect(findCondition(status?.conditions, 'Ready')?.reason).toBe('WaitingForNodesToLeave');
  });
});
