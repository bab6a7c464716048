import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { AddOnInstallation, KubernetesCluster, Manifest } from '@crate/api';
import { eventually } from '@crate/testing';
import { isReadyNow, MANAGER, NAMESPACE, PATIENCE, type DemoCluster } from './demo-cluster.js';
import { makeServiceAccount, projectToken } from './service-account.js';

const OWN = { name: 'own', namespace: NAMESPACE };
const KINDS = ['Namespace', 'ConfigMap', 'Service', 'ServiceAccount', 'Node'];
const HELLO = { apiVersion: 'v1', kind: 'ConfigMap', name: 'hello', namespace: 'greeter' };

function greeter(version: string, ...manifests: Manifest[]): AddOnInstallation['spec'] {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'greeter' } };
  return { clusterRef: { name: OWN.name }, addOn: 'greeter', version, manifests: [namespace, ...manifests] };
}

function text(name: string, said: string, namespace = 'greeter'): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { said } };
}

/** What holds of the cluster that the service runs in, which is `demo` under a second name: to be called where it is up, and leaves it as it was. */
export function inCluster(demo: () => DemoCluster): void {
  let before: readonly string[];

  /** Everything that is there, as it is. */
  async function contents(): Promise<readonly string[]> {
    const lists = await demo().inside((cluster) => Promise.all(KINDS.map((kind) => cluster.list('v1', kind))));
    return lists
      .flatMap(({ items }) => items)
      .map(({ kind, metadata, data }) => JSON.stringify([kind, metadata.namespace, metadata.name, metadata.uid, data]))
      .sort();
  }

  async function own(): Promise<KubernetesCluster | undefined> {
    return demo().platform.clusters(demo().service).find(OWN.name, NAMESPACE);
  }

  async function install(name: string, spec: AddOnInstallation['spec']): Promise<void> {
    await demo()
      .platform.installations(demo().service)
      .ensure({ metadata: { name, namespace: NAMESPACE }, spec }, MANAGER);
  }

  async function untilInstalled(name: string, version: string): Promise<void> {
    await eventually(async () => {
      const found = await demo().installation(name);
      expect(found?.status?.version).toBe(version);
      expect(found && isReadyNow(found)).toBe(true);
    }, PATIENCE);
  }

  it('waits for its credentials, and then shows the version and the nodes that are there', async () => {
    await demo().inside(makeServiceAccount);
    await demo().inside((cluster) =>
      cluster.applyObject(text('theirs', 'hands off', 'default'), { fieldManager: 'kubectl' }),
    );
    before = await contents();
    const spec: KubernetesCluster['spec'] = { engine: 'existing', clusterName: OWN.name, nodes: [] };
    await demo().platform.clusters(demo().service).ensure({ metadata: OWN, spec }, MANAGER);
    await eventually(async () => {
      const ready = (await own())?.status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready?.message).toContain('credentials for the cluster cannot be read');
    }, PATIENCE);

    await projectToken(demo().platform, await demo().kubeconfig());
    const seen = await eventually(async () => {
      const found = await own();
      expect(found && isReadyNow(found)).toBe(true);
      return found;
    }, PATIENCE);
    expect([seen?.status?.version, seen?.status?.nodes]).toEqual([
      (await demo().find()).status?.version,
      (await demo().find()).status?.nodes,
    ]);
    expect(await demo().count(`engine_runs WHERE cluster_uid = '${seen?.metadata.uid}'`)).toBe(0);
  });

  it('gets, upgrades and keeps add-ons with no more rights than the chart gives', async () => {
    await install('own-greeter', greeter('1.0.0', text('hello', 'hello'), text('bye', 'bye')));
    await untilInstalled('own-greeter', '1.0.0');
    await install('own-greeter', greeter('2.0.0', text('hello', 'good morning')));
    await untilInstalled('own-greeter', '2.0.0');
    expect(await demo().inside((cluster) => cluster.find({ ...HELLO, name: 'bye' }))).toBeUndefined();

    await demo().inside((cluster) => cluster.remove(HELLO));
    await demo().pass('add-on-installation', 'own-greeter');
    expect(await demo().inside((cluster) => cluster.get(HELLO))).toMatchObject({ data: { said: 'good morning' } });
  });

  it('is left alone once it is settled', async () => {
    const revision = await demo().service.foundation.store.currentRevision();
    const there = await contents();
    await demo().pass('kubernetes-cluster', OWN.name);
    await demo().pass('add-on-installation', 'own-greeter');
    expect(await demo().service.foundation.store.currentRevision()).toBe(revision);
    expect(await contents()).toEqual(there);
  });

  it('is looked after with the token of the hour, without a restart', async () => {
    await writeFile(demo().platform.serviceAccount.tokenFile, 'one that has ended');
    await demo().inside((cluster) => cluster.remove(HELLO));
    await demo().pass('add-on-installation', 'own-greeter');
    expect((await demo().installation('own-greeter'))?.status?.failure).toMatchObject({
      code: 'KubeconfigRejected',
      remedy: expect.stringContaining('token'),
    });
    await projectToken(demo().platform, await demo().kubeconfig());
    await demo().pass('add-on-installation', 'own-greeter');
    await untilInstalled('own-greeter', '2.0.0');
    expect(await demo().inside((cluster) => cluster.get(HELLO))).toMatchObject({ data: { said: 'good morning' } });
  });

  it('loses nothing of what others put there to an add-on', async () => {
    await install('own-greedy', greeter('1.0.0', text('theirs', 'mine now', 'default')));
    await eventually(async () => {
      expect((await demo().installation('own-greedy'))?.status?.failure).toMatchObject({ code: 'ObjectExists' });
    }, PATIENCE);
    const theirs = { ...HELLO, name: 'theirs', namespace: 'default' };
    expect(await demo().inside((cluster) => cluster.get(theirs))).toMatchObject({ data: { said: 'hands off' } });
  });

  it('is let go of when its add-ons are gone, and is then as it was', async () => {
    await demo().platform.clusters(demo().service).remove(OWN.name, NAMESPACE);
    await demo().pass('kubernetes-cluster', OWN.name);
    expect((await own())?.status?.deletion?.blockers.map(({ reason }) => reason)).toEqual(['AddOnLeft', 'AddOnLeft']);
    for (const name of ['own-greedy', 'own-greeter'])
      await demo().platform.installations(demo().service).remove(name, NAMESPACE);
    await eventually(async () => expect(await own()).toBeUndefined(), PATIENCE);
    expect(await contents()).toEqual(before);
    expect(isReadyNow(await demo().find())).toBe(true);
  });
}
