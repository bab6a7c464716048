import { describe, expect, it } from '@jest/globals';
import { PlatformError } from '@crate/errors';
import type { ApiClient } from './api-client.js';
import { resourcePath } from './resource-path.js';

const DISCOVERY: Readonly<Record<string, object>> = {
  '/apis/lifecycle.crate.dev/v1alpha1': {
    resources: [
      { name: 'clusters/status', kind: 'Cluster', namespaced: true },
      { name: 'clusters', kind: 'Cluster', namespaced: true },
      { name: 'projects', kind: 'Project', namespaced: false },
    ],
  },
  '/api/v1': { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] },
};
const get = (path: string): Promise<object> => {
  const found = DISCOVERY[path];
  return found ? Promise.resolve(found) : Promise.reject(new PlatformError('NotFound', 'the server could not find it'));
};
const client = { get } as unknown as ApiClient;

describe('resourcePath', () => {
  it.each([
    {
      document: ['lifecycle.crate.dev/v1alpha1', 'Cluster', { name: 'demo', namespace: 'team-a' }] as const,
      want: '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo',
    },
    {
      document: ['lifecycle.crate.dev/v1alpha1', 'Cluster', { name: 'demo' }] as const,
      want: '/apis/lifecycle.crate.dev/v1alpha1/namespaces/default/clusters/demo',
    },
    {
      document: ['lifecycle.crate.dev/v1alpha1', 'Project', { name: 'team-a', namespace: 'ignored' }] as const,
      want: '/apis/lifecycle.crate.dev/v1alpha1/projects/team-a',
    },
    {
      document: ['v1', 'ConfigMap', { name: 'x', namespace: 'y' }] as const,
      want: '/api/v1/namespaces/y/configmaps/x',
    },
  ])('gives $want', async ({ document: [apiVersion, kind, metadata], want }) => {
    expect(await resourcePath(client, { apiVersion, kind, metadata })).toBe(want);
  });

  it.each([
    ['lifecycle.crate.dev/v1alpha1', 'Clusters'],
    ['unknown.dev/v1', 'Cluster'],
  ])('refuses %s %s by name', async (apiVersion, kind) => {
    await expect(resourcePath(client, { apiVersion, kind, metadata: { name: 'x' } })).rejects.toMatchObject({
      code: 'BadRequest',
      message: `The API serves no ${kind} in ${apiVersion}`,
    });
  });
});
