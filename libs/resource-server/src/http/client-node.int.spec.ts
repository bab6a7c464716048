import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { type ApiServerFixture, startApiServer } from '../fixtures/api-server.js';
import { aCluster } from '../fixtures/local-api.js';

const CLUSTERS = { group: 'lifecycle.crate.dev', version: 'v1alpha1', namespace: 'team-a', plural: 'clusters' };

let server: ApiServerFixture;
let config: KubeConfig;
beforeEach(async () => {
  server = await startApiServer({ tls: true });
  config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'test', server: server.url, caData: server.ca?.toString('base64') }],
    users: [{ name: 'test', token: 'ada-token' }],
    contexts: [{ name: 'test', cluster: 'test', user: 'test' }],
    currentContext: 'test',
  });
});
afterEach(() => server.close());

describe('@kubernetes/client-node', () => {
  it('works with typed core objects', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const body = { metadata: { name: 'm' }, data: { a: '1' } };
    await core.createNamespacedConfigMap({
      namespace: 'team-a',
      body: { apiVersion: 'v1', kind: 'ConfigMap', ...body },
    });
    const { items } = await core.listNamespacedConfigMap({ namespace: 'team-a', labelSelector: '!absent' });
    expect(items[0]?.data).toEqual({ a: '1' });
    expect(items[0]?.metadata?.creationTimestamp).toBeInstanceOf(Date);
    await core.deleteNamespacedConfigMap({ namespace: 'team-a', name: 'm' });
    await expect(core.readNamespacedConfigMap({ namespace: 'team-a', name: 'm' })).rejects.toMatchObject({ code: 404 });
  });

  it('works with custom objects', async () => {
    const custom = config.makeApiClient(CustomObjectsApi);
    await custom.createNamespacedCustomObject({ ...CLUSTERS, body: aCluster() });
    const list = (await custom.listNamespacedCustomObject(CLUSTERS)) as { items: unknown[] };
    expect(list.items).toHaveLength(1);
  });

  it('applies any object server-side, finding its resource by discovery', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    const wanted = aCluster() as unknown as KubernetesObject;
    const apply = () => objects.patch(wanted, undefined, undefined, 'ci', true, PatchStrategy.ServerSideApply);
    const first = await apply();
    const second = await apply();
    expect(second.metadata?.resourceVersion).toBe(first.metadata?.resourceVersion);
    expect(second.metadata?.managedFields?.[0]).toMatchObject({ manager: 'ci', operation: 'Apply' });
  });

  it('follows changes with an informer', async () => {
    const custom = config.makeApiClient(CustomObjectsApi);
    const list = () => custom.listNamespacedCustomObject(CLUSTERS) as Promise<{ items: KubernetesObject[] }>;
    const path = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
    const informer = makeInformer(config, path, list as never);
    const seen: string[] = [];
    const allSeen = new Promise<void>((resolve) => {
      const note = (what: string) => (object: KubernetesObject) => {
        seen.push(`${what} ${object.metadata?.name ?? ''}`);
        if (seen.length === 3) resolve();
      };
      informer.on('add', note('add'));
      informer.on('delete', note('delete'));
    });
    await custom.createNamespacedCustomObject({ ...CLUSTERS, body: aCluster('before') });
    await informer.start();
    await custom.createNamespacedCustomObject({ ...CLUSTERS, body: aCluster('after') });
    await custom.deleteNamespacedCustomObject({ ...CLUSTERS, name: 'before' });
    await allSeen;
    await informer.stop();
    expect(seen).toEqual(['add before', 'add after', 'delete before']);
  });
});
