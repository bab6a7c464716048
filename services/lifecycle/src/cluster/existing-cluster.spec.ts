import { ADD_ON, findCondition, type Cluster } from '@crate/api';
import { readPrices } from '@crate/pricing';
import type { ResourceApi } from '@crate/resource-client';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsequenceResolver, type ConsequencePorts } from '../plan/consequences/consequence-resolver.js';
import { costChange } from '../plan/consequences/cost-change.js';
import { usageOf } from '../project/project-usage.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';
import { clusterDrift } from './cluster.drift.js';
import { clusterKubeconfig } from './cluster.kubeconfig.js';
import { clusterPlan } from './cluster.plan.js';

const EXISTING = {
  ...{ kubernetes: { engine: 'existing' }, addOns: [{ name: 'docs' }] },
  // What every other cluster of the bench has.
  ...{ accountRef: undefined, region: undefined, nodePools: [] },
};

/** Kinds of cloud-mgmt: nobody answers for them. */
function withoutClouds(api: ResourceApi): ResourceApi {
  return new Proxy(api, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        const { group } = args[0] as { readonly group: string };
        if (group === 'cloud.crate.dev') throw new Error(`Asked cloud-mgmt: ${String(property)}`);
        return Reflect.apply(value, target, args);
      };
    },
  });
}

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform(withoutClouds);
  await platform.start(EXISTING);
});

async function cluster(): Promise<Cluster> {
  return (await platform.clusters.find('demo', 'team-a')) as Cluster;
}

async function converge(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
    const found = await platform.clusters.find('demo', 'team-a');
    if (!found || findCondition(found.status?.conditions, 'Ready')?.status === 'True') return;
  }
  throw new Error('Did not converge');
}

describe('a cluster that was there before', () => {
  it('becomes ready by its add-ons, and asks no cloud', async () => {
    await converge();
    const { status } = await cluster();
    expect(status?.phases?.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'Policy Done',
      'Kubernetes Done',
      'Add-ons Done',
    ]);
    expect(status?.addOns?.map(({ name }) => name)).toEqual(['baseline', 'docs']);
    for (const type of ['InfrastructureReady', 'InSync']) {
      expect(findCondition(status?.conditions, type)).toMatchObject({ status: 'True', reason: 'MadeOutside' });
    }
    const [kubernetes] = await platform.kubernetesClusters.list();
    expect(kubernetes?.spec).toEqual({ engine: 'existing', clusterName: 'demo', nodes: [] });
    expect(await platform.infrastructures.list()).toEqual([]);
  });

  it('states nothing anew in the pass after, and makes no write', async () => {
    await converge();
    const before = await platform.store.currentRevision();
    const patch = jest.spyOn(platform.api, 'patch');
    await platform.pass();
    expect(patch).not.toHaveBeenCalled();
    expect(await platform.store.currentRevision()).toBe(before);
  });

  it('is judged by policies, as what it is', async () => {
    await platform.pass();
    expect(platform.policies.requests[0]).toMatchObject({ stage: 'ClusterSpec', subject: { engine: 'existing' } });
  });

  it('has its add-ons though a node is down, which it says', async () => {
    await converge();
    const [kubernetes] = await platform.kubernetesClusters.list();
    const conditions = kubernetes!.status!.conditions!.map((each) =>
      each.type === 'NodesReady' ? { ...each, status: 'False' as const, reason: 'WaitingForNodes' } : each,
    );
    await platform.kubernetesClusters.saveStatus(kubernetes!, { ...kubernetes!.status, conditions });
    await platform.clusters.merge('demo', 'team-a', { spec: { addOns: [{ name: 'baseline' }] } });
    for (let turn = 0; turn < 3; turn += 1) await platform.pass();
    expect((await platform.installations.list()).map(({ spec }) => spec.addOn)).toEqual(['baseline']);
    expect(findCondition((await cluster()).status?.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'WaitingForNodes',
    });
  });

  it('is let go of: its add-ons go, dependents first, and then what was known of it', async () => {
    await converge();
    await platform.clusters.remove('demo', 'team-a');
    await platform.pass();
    expect((await platform.installations.list()).map(({ spec }) => spec.addOn)).toEqual(['baseline']);
    const { status } = await cluster();
    expect(status?.phases?.map(({ name }) => name)).toEqual(['Remove add-ons', 'Let go']);
    for (let turn = 0; turn < 10; turn += 1) await platform.pass();
    expect(await platform.clusters.find('demo', 'team-a')).toBeUndefined();
    expect(await platform.kubernetesClusters.list()).toEqual([]);
  });

  it('is left alone while it is paused', async () => {
    await converge();
    await platform.clusters.merge('demo', 'team-a', { spec: { paused: true, addOns: [] } });
    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await platform.installations.list()).toHaveLength(2);
  });

  it('takes up no machine, costs nothing here, and changes nothing in a cloud', async () => {
    const existing = await cluster();
    expect(usageOf([existing])).toEqual({ clusters: 1, nodes: 0, vcpu: 0 });
    expect(costChange(readPrices(), { after: existing })).toMatchObject({ after: 0, unknown: [] });
    const none = { list: () => Promise.resolve([]), find: () => Promise.resolve(undefined) };
    const ports = {
      ...{ clusters: none, projects: none, installations: none, prices: readPrices() },
      ...{
        catalogue: platform.for(ADD_ON),
        providers: { of: () => Promise.resolve(undefined) },
        policies: platform.policies,
      },
      planner: { preview: () => Promise.reject(new Error('Asked cloud-mgmt')) },
    };
    const resolver = new ConsequenceResolver(ports as unknown as ConsequencePorts);
    const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
    for (const change of [{ after: existing }, { before: existing }]) {
      const preview = await resolver.preview(change, context);
      expect(preview).toMatchObject({ resources: [], review: { allowed: true } });
      const consequences = await resolver.resolve(change, preview, context);
      expect(consequences).not.toHaveProperty('terraform');
      expect(consequences).toMatchObject({ nodes: [], cost: { difference: 0 } });
    }
  });

  it('has neither a plan nor drift in a cloud, nor a way in that Crate would hand out', async () => {
    const api = withoutClouds(platform.api);
    const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
    const ref = { group: 'x', version: 'x', plural: 'x', name: 'demo' };
    for (const read of [clusterPlan(api), clusterDrift(api)]) {
      await expect(read(await cluster(), ref, context)).rejects.toMatchObject({ code: 'NotFound' });
    }
    await expect(clusterKubeconfig(api)(await cluster(), ref, context)).rejects.toMatchObject({
      code: 'Conflict',
      retry: 'never',
      details: { reason: 'ManagedOutside' },
    });
  });
});
