import type { FakeAnswer } from './fake-api.js';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

const RESOURCES = [
  { resource: 'clusters', kind: 'Cluster', shortNames: ['cl'], scope: 'Namespaced' },
  { resource: 'projects', kind: 'Project', shortNames: ['proj'], scope: 'Cluster' },
  { resource: 'nodepools', kind: 'NodePool', shortNames: ['np'], scope: 'Namespaced' },
];

/** What discovery says of an API with a few kinds; undefined for other paths. */
export function discoveryAnswer(path: string): FakeAnswer {
  if (path === '/api') return { body: { items: [] } };
  if (path !== '/apis') return undefined;
  const resources = RESOURCES.map(({ resource, kind, shortNames, scope }) => ({
    resource,
    responseKind: { kind },
    scope,
    shortNames,
    verbs: VERBS,
    singularResource: kind.toLowerCase(),
    categories: ['crate'],
    subresources: [{ subresource: 'status' }],
  }));
  return {
    body: { items: [{ metadata: { name: 'lifecycle.crate.dev' }, versions: [{ version: 'v1alpha1', resources }] }] },
  };
}

/** The collection of clusters of a Project. */
export const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';

/** A cluster as the API gives it. */
export function clusterObject(name: string, rest: object = {}): object {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: 'team-a', uid: `uid-${name}`, resourceVersion: '5', generation: 1 },
    spec: { region: 'us-east-1' },
    ...rest,
  };
}

/** The same as tables have it. */
export function clusterTable(...names: readonly string[]): object {
  return {
    kind: 'Table',
    metadata: { resourceVersion: '5' },
    columnDefinitions: [
      { name: 'Name', priority: 0 },
      { name: 'Nodes', priority: 0 },
      { name: 'Endpoint', priority: 1 },
    ],
    rows: names.map((name) => ({
      cells: [name, 3, null],
      object: {
        metadata: { name, namespace: 'team-a', labels: { tier: 'web' }, resourceVersion: '5' },
        spec: { rank: -name.length },
      },
    })),
  };
}
