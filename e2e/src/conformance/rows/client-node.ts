import assert from 'node:assert/strict';
import {
  ApiException,
  ApisApi,
  AuthenticationV1Api,
  AuthorizationV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  VersionApi,
  Watch,
  type KubernetesObject,
} from '@kubernetes/client-node';
import type { ConformanceBench } from '../bench.js';
import { aCluster } from '../documents.js';
import type { Client, Row } from '../row.js';
import { followingRows } from './client-node-following.js';
import { informerRows } from './client-node-informer.js';

const PROJECT = 'client-node';
const CLUSTERS = { group: 'lifecycle.crate.dev', version: 'v1alpha1', namespace: PROJECT, plural: 'clusters' };
const PATH = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${PROJECT}/clusters`;

/** `@kubernetes/client-node`, with the kubeconfig that is issued. */
export function nodeClient(bench: ConformanceBench): Client {
  const config = new KubeConfig();
  const scope = { bench, config, project: PROJECT };
  return {
    family: '@kubernetes/client-node',
    version: 'works',
    rows: [...requestRows(config), ...followingRows(scope), ...informerRows(scope)],
    prepare: async () => {
      await bench.project(PROJECT);
      config.loadFromString(bench.kubeconfig);
    },
  };
}

function requestRows(config: KubeConfig): readonly Row[] {
  const custom = () => config.makeApiClient(CustomObjectsApi);
  const create = (name: string) => custom().createNamespacedCustomObject({ ...CLUSTERS, body: aCluster(name) });
  return [
    {
      capability: 'version and groups',
      run: async () => {
        assert.equal((await config.makeApiClient(VersionApi).getCode()).major, '1');
        const { groups } = await config.makeApiClient(ApisApi).getAPIVersions();
        assert.ok(groups.some(({ name }) => name === 'cloud.crate.dev'));
      },
    },
    {
      capability: 'CustomObjectsApi: create, list, delete',
      run: async () => {
        await create('custom');
        const { items } = (await custom().listNamespacedCustomObject({ ...CLUSTERS, limit: 5 })) as List;
        assert.deepEqual(
          items.map(({ metadata }) => metadata?.name),
          ['custom'],
        );
        await custom().deleteNamespacedCustomObject({ ...CLUSTERS, name: 'custom' });
      },
    },
    {
      capability: 'errors are ApiExceptions with the Status',
      run: async () => {
        const absent = custom().getNamespacedCustomObject({ ...CLUSTERS, name: 'absent' });
        const error = await absent.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        assert.ok(error instanceof ApiException);
        assert.equal(error.code, 404);
        assert.match(String(error.body), /clusters\.lifecycle\.crate\.dev \\"absent\\" not found/);
      },
    },
    {
      capability: 'KubernetesObjectApi: server-side apply of a kind it finds by discovery',
      run: async () => {
        const objects = KubernetesObjectApi.makeApiClient(config);
        const cluster = aCluster('applied');
        const wanted: KubernetesObject = { ...cluster, metadata: { ...cluster.metadata, namespace: PROJECT } };
        const apply = () => objects.patch(wanted, undefined, undefined, 'ci', true, PatchStrategy.ServerSideApply);
        const first = await apply();
        const second = await apply();
        // The status may have moved in between.
        assert.equal(second.metadata?.generation, first.metadata?.generation);
        assert.equal(second.metadata?.managedFields?.[0]?.manager, 'ci');
      },
    },
    {
      capability: 'Watch, with bookmarks',
      run: async () => {
        const { metadata } = (await custom().listNamespacedCustomObject(CLUSTERS)) as List;
        // Before the watch: how long it takes to come about is no part of this.
        await create('watched');
        const seen: string[] = [];
        const options = { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 3 };
        await new Promise<void>((resolve, reject) => {
          // Those of other rows may still be on their way.
          const note = (phase: string, { metadata: { name } = {} }: KubernetesObject): unknown =>
            phase === 'BOOKMARK' || name === 'watched' ? seen.push(phase) : undefined;
          const done = (error: unknown): void => (error instanceof Error ? reject(error) : resolve());
          new Watch(config).watch(PATH, options, note, done).catch(reject);
        });
        assert.equal(seen[0], 'ADDED');
        assert.equal(seen.at(-1), 'BOOKMARK');
      },
    },
    {
      capability: 'SelfSubjectReview and SelfSubjectAccessReview',
      run: async () => {
        const who = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} });
        assert.ok(who.status?.userInfo?.username);
        const resourceAttributes = { group: CLUSTERS.group, resource: 'clusters', verb: 'list', namespace: PROJECT };
        const api = config.makeApiClient(AuthorizationV1Api);
        const review = await api.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes } } });
        assert.equal(review.status?.allowed, true);
      },
    },
  ];
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly KubernetesObject[];
}
