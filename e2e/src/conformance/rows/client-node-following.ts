import assert from 'node:assert/strict';
import {
  AuthorizationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  makeInformer,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { eventually } from '@crate/testing';
import type { ConformanceBench } from '../bench.js';
import { aCluster } from '../documents.js';
import type { Row } from '../row.js';

type List = KubernetesListObject<KubernetesObject>;

interface Scope {
  readonly bench: ConformanceBench;
  readonly config: KubeConfig;
  readonly project: string;
}

/** Events, the size of node pools, and what one may do. */
export function followingRows({ bench, config, project: namespace }: Scope): readonly Row[] {
  return [
    {
      capability: 'CoreV1Api: events by field selector',
      run: async () => {
        await bench.admin.apply(aCluster('followed'), namespace);
        const fieldSelector = 'involvedObject.name=followed,involvedObject.kind=Cluster';
        const api = config.makeApiClient(CoreV1Api);
        // They come a moment after what they tell of.
        const event = await eventually(
          async () => {
            const [first] = (await api.listNamespacedEvent({ namespace, fieldSelector })).items;
            assert.ok(first);
            return first;
          },
          { timeoutMs: 60_000 },
        );
        assert.deepEqual([event.reason, event.type, event.involvedObject.name], ['Paused', 'Normal', 'followed']);
        assert.ok(event.lastTimestamp instanceof Date);
      },
    },
    {
      capability: 'CustomObjectsApi: scale of a node pool',
      run: async () => {
        const api = config.makeApiClient(CustomObjectsApi);
        const pool = {
          ...{ group: 'lifecycle.crate.dev', version: 'v1alpha1', namespace },
          ...{ plural: 'nodepools', name: 'followed.workers' },
        };
        const read = (await api.getNamespacedCustomObjectScale(pool)) as { readonly spec: object };
        const body = { ...read, spec: { replicas: 5 } };
        await api.replaceNamespacedCustomObjectScale({ ...pool, body });
        assert.partialDeepStrictEqual(await api.getNamespacedCustomObjectScale(pool), { spec: { replicas: 5 } });
      },
    },
    {
      capability: 'informers of both kinds of policy reports, over all Projects',
      run: async () => {
        const api = config.makeApiClient(CustomObjectsApi);
        for (const plural of ['policyreports', 'clusterpolicyreports']) {
          const type = { group: 'wgpolicyk8s.io', version: 'v1alpha2', plural };
          const path = `/apis/${type.group}/${type.version}/${plural}`;
          const informer = makeInformer(config, path, () => api.listClusterCustomObject(type) as Promise<List>);
          // Rejects when the list does.
          await informer.start();
          await informer.stop();
        }
      },
      note: 'what Policy Reporter waits for',
    },
    {
      capability: 'SelfSubjectRulesReview',
      run: async () => {
        const api = config.makeApiClient(AuthorizationV1Api);
        const { status } = await api.createSelfSubjectRulesReview({ body: { spec: { namespace } } });
        const rules = status?.resourceRules ?? [];
        assert.ok(rules.some(({ resources, verbs }) => resources?.includes('clusters') && verbs.includes('create')));
      },
    },
  ];
}
