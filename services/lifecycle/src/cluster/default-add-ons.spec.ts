import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ADD_ON,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  type AddOn,
  type AddOnInstallation,
  type KubeObject,
} from '@crate/api';
import { anAddOn } from '../testing/a-cluster.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

const HELD = 'cluster.crate.dev/kubernetesclusters';

const volumes: AddOn['spec'] = {
  ...anAddOn('volumes', 'baseline').spec,
  ...{ defaultFor: ['sandbox-aws'], removal: 'WithCluster', valuesSchema: { type: 'object', properties: {} } },
  manifests: [
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'volumes', namespace: 'kube-system' } },
      data: {
        tag: '${cluster.cloudId}',
        of: '${cluster.project}/${cluster.name}',
        version: '${cluster.kubernetesVersion}',
      },
    },
  ],
};

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start();
  await platform.for(ADD_ON).ensure({ metadata: { name: 'volumes' }, spec: volumes }, 'test');
});

async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
}

async function installed(): Promise<string[]> {
  return (await platform.installations.list({ namespace: 'team-a' })).map(({ spec }) => spec.addOn).sort();
}

async function specOf(addOn: string): Promise<AddOnInstallation['spec'] | undefined> {
  return (await platform.installations.find(`demo-${addOn}`, 'team-a'))?.spec;
}

async function say(addOns: readonly object[]): Promise<void> {
  await platform.clusters.merge('demo', 'team-a', { spec: { addOns } });
  await turns();
}

describe('an add-on that clusters of a cloud have by default', () => {
  it('is installed with what it says of the cluster, and over nothing that others put there', async () => {
    await turns();
    expect(await installed()).toEqual(['baseline', 'docs', 'volumes']);
    expect(await specOf('volumes')).toMatchObject({
      ...{ unasked: true, removal: 'WithCluster' },
      manifests: [{ data: { tag: 'demo-1723af96', of: 'team-a/demo', version: 'v1.31.4' } }],
    });
  });

  it('has other objects when a fact changes', async () => {
    await turns();
    await platform.clusters.merge('demo', 'team-a', { spec: { kubernetes: { version: 'v1.31.8' } } });
    await turns();
    expect(await specOf('volumes')).toMatchObject({ manifests: [{ data: { version: 'v1.31.8' } }] });
  });

  it('is not installed where the cluster does not want it, also afterwards, and is asked for where it is named', async () => {
    await turns();
    await say([{ name: 'docs' }, { name: 'volumes', enabled: false }]);
    expect(await installed()).toEqual(['baseline', 'docs']);
    await say([{ name: 'docs' }, { name: 'volumes' }]);
    expect(await specOf('volumes')).not.toHaveProperty('unasked');
  });

  it('is told what is done about drift only where that is not what it does anyhow', async () => {
    await turns();
    expect(await specOf('docs')).not.toHaveProperty('drift');
    await say([{ name: 'docs', drift: { policy: 'observe' } }]);
    expect(await specOf('docs')).toMatchObject({ drift: { policy: 'observe' } });
    await say([{ name: 'docs', drift: {} }]);
    expect(await specOf('docs')).not.toHaveProperty('drift');
  });

  it('waits for a fact that is not known yet, and leaves the rest of the cluster as it is', async () => {
    const forgetting = platform.for<KubeObject>(INFRASTRUCTURE);
    for (let turn = 0; turn < 8; turn += 1) {
      await platform.settleChildren();
      const child = await forgetting.find('demo', 'team-a');
      const { cloudId: _cloudId, ...status } = (child?.['status'] ?? {}) as Record<string, unknown>;
      if (child) await forgetting.saveStatus(child, status);
      await platform.pass();
    }
    expect(await installed()).toEqual(['baseline']);
    await turns();
    expect(await installed()).toEqual(['baseline', 'docs', 'volumes']);
  });

  it('works until Kubernetes is gone, with what it needs, and is forgotten then', async () => {
    await turns();
    await platform.for<KubeObject>(KUBERNETES_CLUSTER).merge('demo', 'team-a', { metadata: { finalizers: [HELD] } });
    await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 5; turn += 1) await platform.pass();
    // Its cluster drains volumes now.
    expect(await installed()).toEqual(['baseline', 'volumes']);
    expect((await platform.kubernetesClusters.find('demo', 'team-a'))?.metadata.deletionTimestamp).toBeDefined();
    const kept = (await platform.installations.list()).map(({ metadata }) => metadata.deletionTimestamp);
    expect(kept).toEqual([undefined, undefined]);

    const child = await platform.for<KubeObject>(KUBERNETES_CLUSTER).find('demo', 'team-a');
    const finalizers = (child?.metadata.finalizers ?? []).filter((name) => name !== HELD);
    await platform.for<KubeObject>(KUBERNETES_CLUSTER).merge('demo', 'team-a', { metadata: { finalizers } });
    for (let turn = 0; turn < 6; turn += 1) await platform.pass();
    expect(await installed()).toEqual([]);
    expect(await platform.clusters.find('demo', 'team-a')).toBeUndefined();
  });
});
