import {
  ADD_ON_INSTALLATION,
  conditionFalse,
  findCondition,
  INFRASTRUCTURE,
  isPaused,
  KUBERNETES_CLUSTER,
  mergeConditions,
  type KindDefinition,
  type KubeObject,
} from '@crate/api';
import { unavailable } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start({});
});

async function makeReady(): Promise<void> {
  for (let pass = 0; pass < 4; pass++) {
    await platform.pass();
    await platform.settleChildren();
  }
  await platform.pass();
}

/** Answers no call about one kind while `isAway`. */
function withAway(kind: KindDefinition, isAway: () => boolean): (api: ResourceApi) => ResourceApi {
  const refuse = (): Promise<never> => Promise.reject(unavailable(`Whoever has ${kind.plural} is away`));
  return (api) =>
    new Proxy(api, {
      get: (target, name, receiver): unknown => {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function') return method;
        return (...call: readonly [{ readonly plural?: string }, ...unknown[]]): unknown =>
          isAway() && call[0].plural === kind.plural ? refuse() : Reflect.apply(method, target, call);
      },
    });
}

/** Notes the patches of parts. */
function noting(api: ResourceApi, order: string[]): ResourceApi {
  return new Proxy(api, {
    get: (target, name, receiver): unknown => {
      if (name !== 'patch') return Reflect.get(target, name, receiver);
      return (...call: Parameters<ResourceApi['patch']>): unknown => {
        const [{ plural }, , { type }] = call;
        if (plural !== 'clusters') order.push(`${type} ${plural}`);
        return target.patch(...call);
      };
    },
  });
}

const setSpec = (spec: object): Promise<unknown> => platform.clusters.merge('demo', 'team-a', { spec });

async function pause(): Promise<void> {
  await setSpec({ paused: true });
  expect(await platform.pass()).toEqual({ kind: 'settled' });
}

async function child<T extends KubeObject>(kind: KindDefinition<T>): Promise<T> {
  return (await platform.for(kind).find('demo', 'team-a'))!;
}

/** Which of the parts may begin something: the Infrastructure and the KubernetesCluster. */
async function goOn(): Promise<readonly boolean[]> {
  const parts = [await child<KubeObject>(INFRASTRUCTURE), await child<KubeObject>(KUBERNETES_CLUSTER)];
  return parts.map((part) => !isPaused(part));
}

/** Which add-ons may begin something. */
async function addOnsThatGoOn(): Promise<readonly string[]> {
  const installations = await platform.installations.list();
  return installations.filter((installation) => !isPaused(installation)).map(({ spec }) => spec.addOn);
}

async function startAnew(wrap: (api: ResourceApi) => ResourceApi): Promise<void> {
  platform = new InMemoryPlatform(wrap);
  await platform.start();
  await makeReady();
}

describe('a cluster that is paused', () => {
  beforeEach(makeReady);

  it.each([INFRASTRUCTURE, KUBERNETES_CLUSTER, ADD_ON_INSTALLATION])(
    'has the other parts begin nothing while nobody answers for $plural',
    async (away) => {
      let isAway = false;
      await startAnew(withAway(away, () => isAway));
      isAway = true;
      await setSpec({ paused: true });
      expect(await platform.pass()).toMatchObject({ code: 'Unavailable' });
      expect(await goOn()).toEqual([away === INFRASTRUCTURE, away === KUBERNETES_CLUSTER]);
      expect(await addOnsThatGoOn()).toHaveLength(away === ADD_ON_INSTALLATION ? 2 : 0);
      isAway = false;
      expect(await platform.pass()).toEqual({ kind: 'settled' });
      expect([...(await goOn()), ...(await addOnsThatGoOn())]).toEqual([false, false]);
    },
  );

  it('says which of its add-ons are ready meanwhile', async () => {
    await startAnew((api) => api);
    await pause();
    const installation = (await platform.installations.find('demo-docs', 'team-a'))!;
    await platform.installations.saveStatus(installation, { ...installation.status, conditions: [] });
    await platform.pass();
    const { status } = (await platform.clusters.find('demo', 'team-a'))!;
    expect(status?.addOns).toMatchObject([
      { name: 'baseline', ready: true },
      { name: 'docs', ready: false },
    ]);
  });

  it('has its parts begin nothing, and says so once', async () => {
    const before = await Promise.all([child(INFRASTRUCTURE), child(KUBERNETES_CLUSTER)]);
    await setSpec({ kubernetes: { version: 'v1.32.0' }, drift: { policy: 'correct' } });
    await pause();
    expect(await goOn()).toEqual([false, false]);
    const after = await Promise.all([child(INFRASTRUCTURE), child(KUBERNETES_CLUSTER)]);
    // A pause is no change of what is asked for, which would have them apply what only a release brings.
    expect(after.map(({ spec }) => spec)).toEqual(before.map(({ spec }) => spec));
    expect(after.map(({ metadata }) => metadata.generation)).toEqual(before.map(({ metadata }) => metadata.generation));
    await platform.pass();
    expect((await child(INFRASTRUCTURE)).metadata.resourceVersion).toBe(after[0].metadata.resourceVersion);
  });

  it('shows what is seen of it meanwhile', async () => {
    await pause();
    const kubernetes = await child(KUBERNETES_CLUSTER);
    const conditions = mergeConditions(
      kubernetes.status?.conditions,
      [conditionFalse('NodesReady', 'WaitingForNodes', 'Not ready: demo-workers-0')],
      { generation: kubernetes.metadata.generation, now: new Date(0) },
    );
    await platform.kubernetesClusters.saveStatus(kubernetes, { ...kubernetes.status, conditions, nodes: [] });
    await platform.pass();
    const { status } = (await platform.clusters.find('demo', 'team-a'))!;
    expect(findCondition(status?.conditions, 'NodesReady')).toMatchObject({ status: 'False' });
    expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'True' });
    expect(status).toMatchObject({ nodes: { ready: 0 }, progress: { message: 'Paused' } });
  });

  it('goes on, and is Ready again', async () => {
    await pause();
    await setSpec({ paused: false });
    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await goOn()).toEqual([true, true]);
  });

  it('is deleted all the same', async () => {
    await pause();
    await platform.clusters.remove('demo', 'team-a');
    for (let pass = 0; pass < 8; pass++) await platform.pass();
    expect(await platform.clusters.find('demo', 'team-a')).toBeUndefined();
  });
});

describe('the end of a pause', () => {
  beforeEach(makeReady);

  it.each([
    { what: 'what they were told before', labels: {}, tells: [] },
    { what: 'something else', labels: { team: 'a' }, tells: ['apply'] },
  ])('comes after the parts were told what is asked for now, where that is $what', async ({ labels, tells }) => {
    const order: string[] = [];
    platform = new InMemoryPlatform((api) => noting(api, order));
    await platform.start({});
    await makeReady();
    await pause();
    await platform.clusters.merge('demo', 'team-a', { metadata: { labels } });
    await setSpec({ paused: false });
    order.length = 0;
    await platform.pass();
    const each = ['infrastructures', 'kubernetesclusters'];
    expect(order).toEqual(each.flatMap((kind) => [...tells, 'merge'].map((verb) => `${verb} ${kind}`)));
  });

  it('comes to an add-on when that is told what is asked for now, not while another is waited for', async () => {
    await startAnew((api) => api);
    await pause();
    expect(await addOnsThatGoOn()).toEqual([]);
    const baseline = (await platform.installations.find('demo-baseline', 'team-a'))!;
    await platform.installations.saveStatus(baseline, { ...baseline.status, conditions: [] });
    await setSpec({ paused: false });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOns' });
    expect(await addOnsThatGoOn()).toEqual(['baseline']);
    await platform.settleChildren();
    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await addOnsThatGoOn()).toEqual(['baseline', 'docs']);
  });

  it('comes to Kubernetes also while nobody answers for machines', async () => {
    let isAway = false;
    await startAnew(withAway(INFRASTRUCTURE, () => isAway));
    await pause();
    isAway = true;
    await setSpec({ paused: false });
    expect(await platform.pass()).toMatchObject({ code: 'Unavailable' });
    expect(await goOn()).toEqual([false, true]);
  });

  it.each([
    { name: 'machines are made', nodePools: [{ name: 'workers', replicas: 9 }] },
    { name: 'nodes leave', nodePools: [] },
  ])('begins no upgrade that was taken back in it while $name', async ({ nodePools }) => {
    await setSpec({ kubernetes: { version: 'v1.32.0' } });
    await platform.pass();
    expect((await child(KUBERNETES_CLUSTER)).spec.version).toBe('v1.32.0');
    await pause();
    await setSpec({ kubernetes: { version: 'v1.31.4' }, nodePools, paused: false });
    expect(await platform.pass()).toMatchObject({ kind: 'waiting' });
    const kubernetes = await child(KUBERNETES_CLUSTER);
    expect([isPaused(kubernetes), kubernetes.spec.version]).toEqual([false, 'v1.31.4']);
  });

  it('waits with the machines while nobody judges the spec that replaces what the pause was for', async () => {
    await pause();
    await setSpec({ paused: false });
    platform.policies.answer = unavailable('policy-mgmt is away');
    await platform.pass();
    expect(await goOn()).toEqual([false, false]);
  });

  it.each([
    { name: 'machines are made', spec: { nodePools: [{ name: 'workers', replicas: 9 }] }, infrastructure: true },
    { name: 'nodes leave', spec: { nodePools: [] }, infrastructure: false },
  ])('has Kubernetes go on as it was told last while $name', async ({ spec, infrastructure }) => {
    await pause();
    await setSpec({ ...spec, paused: false });
    expect(await platform.pass()).toMatchObject({ kind: 'waiting' });
    expect(await goOn()).toEqual([infrastructure, true]);
  });

  it('has nodes go on leaving that were told so before', async () => {
    await setSpec({ nodePools: [] });
    await platform.pass();
    await pause();
    await setSpec({ paused: false });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    expect(await goOn()).toEqual([false, true]);
  });
});

it('waits for no SSH key that nobody makes, of one that was paused before', async () => {
  await platform.pass();
  await pause();
  await setSpec({ paused: false });
  expect(await platform.pass()).toMatchObject({ reason: 'WaitingForSshKey' });
  expect(isPaused(await child(KUBERNETES_CLUSTER))).toBe(false);
});
