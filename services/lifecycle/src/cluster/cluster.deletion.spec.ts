import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  findCondition,
  FORCE_ANNOTATION,
  FORCED_ANNOTATION,
  KEEP_VOLUMES_ANNOTATION,
  KEPT_VOLUMES_ANNOTATION,
  REMOVE_VOLUMES_ANNOTATION,
  KUBERNETES_CLUSTER,
  INFRASTRUCTURE,
  type Blocker,
  type Cluster,
  type DeletionStatus,
  type Infrastructure,
  type KindDefinition,
  type KubeObject,
} from '@crate/api';
import { APPROVED_PLAN_ANNOTATION, markText } from '../plan/approved-plan.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

const KUBERNETES = 'cluster.crate.dev/kubernetesclusters';
const CLOUD = 'cloud.crate.dev/infrastructures';
const SINCE = '2026-01-31T12:00:00Z';
const BLOCKER: Blocker = {
  kind: 'Service',
  name: 'shop/web',
  reason: 'LoadBalancerLeft',
  message: 'Its load balancer is not gone yet',
  since: SINCE,
};

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start({ addOns: [] });
  for (let turn = 0; turn < 6; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
  await hold(KUBERNETES_CLUSTER, KUBERNETES);
  await hold(INFRASTRUCTURE, CLOUD, 'example.com/stuck');
  await platform.clusters.remove('demo', 'team-a');
  await platform.pass();
});

/** What the service that owns the child does before it makes anything. */
async function hold(kind: KindDefinition, ...finalizers: readonly string[]): Promise<void> {
  await platform.for<KubeObject>(kind).merge('demo', 'team-a', { metadata: { finalizers } });
}

async function say(kind: KindDefinition, status: Record<string, unknown>): Promise<void> {
  const child = await platform.for<KubeObject>(kind).find('demo', 'team-a');
  if (!child) throw new Error('There is no child');
  await platform.for<KubeObject>(kind).saveStatus(child, status);
}

/** Takes off what the service that owns the child holds it with. */
async function letGo(kind: KindDefinition, finalizer: string): Promise<void> {
  const child = await platform.for<KubeObject>(kind).find('demo', 'team-a');
  const finalizers = (child?.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  await platform.for<KubeObject>(kind).merge('demo', 'team-a', { metadata: { finalizers } });
}

async function force(): Promise<void> {
  const annotations = { [FORCE_ANNOTATION]: 'closed', [FORCED_ANNOTATION]: `${SINCE} ada` };
  await platform.clusters.merge('demo', 'team-a', { metadata: { annotations } });
}

async function cluster(): Promise<Cluster | undefined> {
  return platform.clusters.find('demo', 'team-a');
}

async function deletion(): Promise<DeletionStatus | undefined> {
  return (await cluster())?.status?.deletion;
}

describe('a deletion that was approved', () => {
  const MARK = { name: 'away', uid: 'u-1', digest: 'd1', generation: 1, destroy: true } as const;
  const spec = async (): Promise<Infrastructure['spec'] | undefined> =>
    (await platform.for<Infrastructure>(INFRASTRUCTURE).find('demo', 'team-a'))?.spec;

  async function mark(digest: string | null): Promise<void> {
    const value = digest === null ? null : markText({ ...MARK, digest });
    await platform.clusters.merge('demo', 'team-a', {
      metadata: { annotations: { [APPROVED_PLAN_ANNOTATION]: value } },
    });
    await platform.pass();
  }

  it('holds the Infrastructure to it before it is asked to go, and to a newer one after, and never lets go', async () => {
    await mark('d1');
    // It is not the turn of the Infrastructure yet.
    expect((await spec())?.approvedPlan).toBeUndefined();
    await letGo(KUBERNETES_CLUSTER, KUBERNETES);
    await platform.pass();
    expect((await spec())?.approvedPlan).toEqual({ name: 'away', digest: 'd1', destroy: true });
    await mark(null);
    expect((await spec())?.approvedPlan?.digest).toBe('d1');
    await mark('d2');
    expect((await spec())?.approvedPlan?.digest).toBe('d2');
    const revision = await platform.store.currentRevision();
    await platform.pass();
    expect(await platform.store.currentRevision()).toBe(revision);
  });
});

describe('a deletion', () => {
  it('shows what is in the way of its children, in their words, and writes nothing while it stays', async () => {
    expect((await deletion())?.blockers).toEqual([]);
    await say(KUBERNETES_CLUSTER, { deletion: { requestedAt: SINCE, blockers: [BLOCKER] } });
    await platform.pass();
    expect((await deletion())?.blockers).toEqual([BLOCKER]);

    const revision = await platform.store.currentRevision();
    await platform.pass();
    expect(await platform.store.currentRevision()).toBe(revision);
    expect(platform.events.reasons).not.toContain('Normal DeletionWaiting');
  });

  it('warns once of what has been in the way for too long', async () => {
    await say(KUBERNETES_CLUSTER, { deletion: { requestedAt: SINCE, blockers: [BLOCKER] } });
    platform.now = () => new Date('2026-01-31T12:14:59Z');
    await platform.pass();
    const reason = async (): Promise<string | undefined> =>
      findCondition((await cluster())?.status?.conditions, 'Deleting')?.reason;
    expect(await reason()).toBe('DeletionRequested');
    platform.now = () => new Date('2026-01-31T12:15:00Z');
    await platform.pass();
    await platform.pass();
    expect(await reason()).toBe('DeletionBlocked');
    const told = platform.events.events.filter((event) => event.reason === 'DeletionBlocked');
    expect(told).toMatchObject([{ type: 'Warning', kind: 'Cluster' }]);
    expect(told[0]?.message).toContain('Service shop/web');
  });

  it('names a child that nobody removes', async () => {
    platform.now = () => new Date(Date.now() + 900_000);
    await platform.pass();
    expect((await deletion())?.blockers).toMatchObject([
      { kind: 'KubernetesCluster', name: 'demo', reason: 'NoProgress' },
    ]);
    expect((await deletion())?.blockers[0]?.since).toBe(
      (await platform.kubernetesClusters.find('demo', 'team-a'))?.metadata.deletionTimestamp,
    );
  });

  it('says who still holds the cluster itself once nothing of it is left', async () => {
    platform = new InMemoryPlatform();
    await platform.start({ addOns: [] });
    await platform.pass();
    const finalizers = ['lifecycle.crate.dev/clusters', 'argocd.example/finalizer'];
    await platform.clusters.merge('demo', 'team-a', { metadata: { finalizers } });
    await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 5; turn += 1) await platform.pass();

    expect((await cluster())?.metadata.finalizers).toEqual(['argocd.example/finalizer']);
    expect((await deletion())?.blockers).toMatchObject([
      { kind: 'Cluster', reason: 'ForeignFinalizer', message: expect.stringContaining('argocd.example/finalizer') },
    ]);
    expect(platform.events.reasons.filter((reason) => reason === 'Normal Deleted')).toHaveLength(1);
  });

  it('tells the infrastructure which volumes are kept before the cluster that said so is gone', async () => {
    await say(KUBERNETES_CLUSTER, { keptVolumes: ['vol-2', 'vol-1'] });
    await letGo(KUBERNETES_CLUSTER, KUBERNETES);
    expect(await platform.kubernetesClusters.find('demo', 'team-a')).toBeDefined();
    await platform.pass();

    expect(await platform.kubernetesClusters.find('demo', 'team-a')).toBeUndefined();
    const infrastructure = await platform.infrastructures.find('demo', 'team-a');
    expect(infrastructure?.metadata.annotations?.[KEPT_VOLUMES_ANNOTATION]).toBe('vol-1,vol-2');
    expect(infrastructure?.metadata.deletionTimestamp).toBeDefined();
  });
});

describe('what is known of volumes', () => {
  const annotations = async (): Promise<Record<string, string>> =>
    (await platform.infrastructures.find('demo', 'team-a'))?.metadata.annotations ?? {};

  it.each([
    { name: 'none is to be kept', status: { keptVolumes: [] }, told: '' },
    { name: 'nobody could look', status: {}, told: undefined },
  ])('is told apart: $name', async ({ status, told }) => {
    await say(KUBERNETES_CLUSTER, status);
    await letGo(KUBERNETES_CLUSTER, KUBERNETES);
    await platform.pass();
    expect((await annotations())[KEPT_VOLUMES_ANNOTATION]).toBe(told);
  });

  it('is told by a person, also once the Infrastructure is being removed', async () => {
    await letGo(KUBERNETES_CLUSTER, KUBERNETES);
    await platform.pass();
    const decided = { [REMOVE_VOLUMES_ANNOTATION]: 'vol-1', [KEEP_VOLUMES_ANNOTATION]: 'vol-2' };
    await platform.clusters.merge('demo', 'team-a', { metadata: { annotations: decided } });
    await platform.pass();
    expect(await annotations()).toMatchObject(decided);
    const revision = await platform.store.currentRevision();
    await platform.pass();
    expect(await platform.store.currentRevision()).toBe(revision);
  });
});

describe('a deletion that an administrator forces', () => {
  it('says so, once, and passes it on to the child whose turn it is', async () => {
    await force();
    await platform.pass();
    await platform.pass();
    expect((await deletion())?.forced).toEqual({ by: 'ada', reason: 'closed', at: SINCE });
    const child = await platform.kubernetesClusters.find('demo', 'team-a');
    expect(child?.metadata.annotations).toMatchObject({ [FORCE_ANNOTATION]: 'closed' });
    expect(platform.events.reasons.filter((reason) => reason === 'Warning DeletionForced')).toHaveLength(1);
    expect((await platform.infrastructures.find('demo', 'team-a'))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('keeps what children left behind, and does not skip what they still do', async () => {
    await force();
    await platform.pass();
    expect(await platform.kubernetesClusters.find('demo', 'team-a')).toBeDefined();
    const abandoned = [{ kind: 'Service', name: 'shop/web' }];
    await say(KUBERNETES_CLUSTER, { deletion: { requestedAt: SINCE, blockers: [], abandoned } });
    await platform.pass();
    await letGo(KUBERNETES_CLUSTER, KUBERNETES);
    await platform.pass();
    expect((await deletion())?.abandoned).toEqual(abandoned);
  });

  it('takes off finalizers of somebody else once the owner is done, and names them', async () => {
    await letGo(KUBERNETES_CLUSTER, KUBERNETES);
    await force();
    await platform.pass();
    // The owner is not done: nothing is taken off.
    expect((await platform.infrastructures.find('demo', 'team-a'))?.metadata.finalizers).toContain('example.com/stuck');
    await letGo(INFRASTRUCTURE, CLOUD);
    await platform.pass();
    expect(await cluster()).toBeUndefined();
    const told = platform.events.events.find(({ reason }) => reason === 'Abandoned');
    expect(told?.message).toContain('Finalizer example.com/stuck of Infrastructure demo');
  });

  it('is not needed to see such a finalizer', async () => {
    await letGo(KUBERNETES_CLUSTER, KUBERNETES);
    await platform.pass();
    await letGo(INFRASTRUCTURE, CLOUD);
    await platform.pass();
    expect((await deletion())?.blockers).toMatchObject([
      {
        kind: 'Infrastructure',
        reason: 'ForeignFinalizer',
        message: 'Held by finalizers of somebody else: example.com/stuck',
      },
    ]);
    expect(await cluster()).toBeDefined();
  });
});
