import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ADD_ON_INSTALLATION, type AddOnInstallation } from '@crate/api';
import { IN_CLUSTER } from '../target/in-cluster.connection.js';
import { EXISTING_SPEC, installationSpec } from '../testing/builders.js';
import { ClusterBench } from '../testing/cluster-bench.js';
import { readKubeconfig } from '../testing/read-kubeconfig.js';

let bench: ClusterBench;
beforeEach(() => {
  bench = new ClusterBench();
  bench.target.setNode('edge-0', { ready: true, controlPlane: true });
  bench.target.setNode('edge-1', { ready: true });
  bench.target.writes.length = 0;
});
afterEach(() => bench.watches.close());

describe('a cluster that was there before', () => {
  it('is shown as it is, without an engine, a key or a review, and without a write to it', async () => {
    await bench.create(EXISTING_SPEC);
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    const { status, metadata } = await bench.read();
    expect(status).toMatchObject({
      version: 'v1.31.4',
      observedGeneration: metadata.generation,
      nodes: [
        { name: 'edge-0', role: 'control-plane', ready: true },
        { name: 'edge-1', role: 'worker', ready: true },
      ],
      progress: { message: 'Ready' },
    });
    expect(status).not.toHaveProperty('sshPublicKey');
    expect(bench.engine.calls).toEqual([]);
    expect(bench.policies.calls).toBe(0);
    expect(bench.target.writes).toEqual([]);
    expect(bench.ready).toEqual(['demo']);
  });

  it('makes no write in the pass after', async () => {
    await bench.makeReady(EXISTING_SPEC);
    const revision = await bench.local.revision();
    await bench.pass();
    expect(await bench.local.revision()).toBe(revision);
    expect(await bench.secrets.versions((await bench.read()).metadata.uid, 'kubeconfig')).toHaveLength(1);
  });

  it('follows the version and the nodes that others give it', async () => {
    await bench.makeReady(EXISTING_SPEC);
    bench.target.gitVersion = 'v1.33.1+k3s1';
    bench.target.setNode('edge-2', { ready: true });
    await bench.pass();
    const { status } = await bench.read();
    expect([status?.version, status?.nodes?.length]).toEqual(['v1.33.1+k3s1', 3]);
    expect(await bench.condition('NodesReady')).toBe('True Ready');
  });

  it('says which nodes are down, and stays usable', async () => {
    bench.target.setNode('edge-1', { ready: false });
    await bench.makeReady(EXISTING_SPEC);
    expect(await bench.condition('NodesReady')).toBe('False WaitingForNodes');
    expect(await bench.condition('Ready')).toBe('True Ready');
  });

  it('is silent when it does not answer', async () => {
    bench.target.isDown = true;
    await bench.create(EXISTING_SPEC);
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForControlPlane' });
  });

  it('hands out no kubeconfig', async () => {
    await bench.makeReady(EXISTING_SPEC);
    await expect(readKubeconfig(bench, await bench.read())).rejects.toMatchObject({
      code: 'Conflict',
      retry: 'never',
      details: { reason: 'ManagedOutside' },
    });
  });

  it('is none of this service where nobody told it to look after its own cluster', async () => {
    bench.inCluster.enabled = false;
    await bench.create(EXISTING_SPEC);
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'InClusterDisabled' } });
    expect((await bench.read()).status?.failure).toMatchObject({ code: 'InClusterDisabled' });
  });
});

describe('letting go of it', () => {
  beforeEach(() => bench.makeReady(EXISTING_SPEC));

  it('forgets the way in, and leaves the cluster as it is', async () => {
    const { uid } = (await bench.read()).metadata;
    const stored = await bench.secrets.find(uid, 'kubeconfig');
    expect(Buffer.from(stored?.plain ?? '').toString()).toBe(IN_CLUSTER);
    const before = bench.target.contents();
    await bench.requestDeletion();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await bench.local.clusters.list()).toEqual([]);
    expect(await bench.secrets.versions(uid, 'kubeconfig')).toEqual([]);
    expect(bench.engine.calls).toEqual([]);
    expect(bench.target.writes).toEqual([]);
    expect(bench.target.contents()).toEqual(before);
  });

  it('waits for every add-on, also for those that nobody has asked to remove', async () => {
    const metadata = { name: 'demo-docs', namespace: 'team-a' } as AddOnInstallation['metadata'];
    await bench.local.create<AddOnInstallation>(ADD_ON_INSTALLATION, { metadata, spec: installationSpec() });
    await bench.requestDeletion();
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForAddOnRemoval' });
    await bench.local.installations.remove('demo-docs', 'team-a');
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });
});
