import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { forbidden, invalidSpec, PlatformError } from '@crate/errors';
import { applyManifests } from './apply-manifests.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';

const manifests: Manifest[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'apps' }, data: { key: 'one' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password', namespace: 'apps' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
];
const options = { fieldManager: 'crate', signal: new AbortController().signal, patienceMs: 0 };

let cluster: InMemoryTargetCluster;
beforeEach(() => {
  cluster = new InMemoryTargetCluster();
});

describe('applyManifests', () => {
  it('applies namespaces first', async () => {
    await applyManifests(cluster, manifests, options);

    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply ConfigMap settings', 'apply Secret password']);
  });

  it('writes nothing the second time', async () => {
    await applyManifests(cluster, manifests, options);
    cluster.writes.length = 0;
    await applyManifests(cluster, manifests, options);

    expect(cluster.writes).toEqual([]);
  });

  it('does not go on to instances of a kind that is not established', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'w' } };

    await expect(applyManifests(cluster, [...manifests, crd], options)).rejects.toMatchObject({ code: 'Timeout' });
    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply CustomResourceDefinition w']);
  });

  it('goes on once it is', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'w' } };
    cluster.statusOnApply.set('CustomResourceDefinition', { conditions: [{ type: 'Established', status: 'True' }] });
    await applyManifests(cluster, [...manifests, crd], options);

    expect(cluster.writes).toHaveLength(4);
  });

  it.each([
    { name: 'invalid', refusal: invalidSpec('No such field', []) },
    { name: 'not allowed', refusal: forbidden('Quota exceeded') },
    {
      name: 'in want of a webhook',
      refusal: new PlatformError('Unavailable', 'failed calling webhook', { details: { reason: 'ClusterError' } }),
    },
  ])('applies the rest when an object is $name, then says so', async ({ refusal }) => {
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    await expect(applyManifests(cluster, manifests, options)).rejects.toMatchObject({ cause: refusal });
    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply Secret password']);
  });

  it('has a refusal retried soon when it may come of what was applied just now, such as a CRD, and only then', async () => {
    const refusal = invalidSpec('No such field', []);
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    const first = applyManifests(cluster, manifests, options);
    await expect(first).rejects.toMatchObject({ code: 'InvalidSpec', retry: 'backoff' });
    const again = applyManifests(cluster, manifests.slice(0, 1), options);
    await expect(again).rejects.toMatchObject({ code: 'InvalidSpec', retry: 'never' });
  });

  it('waits once for a kind that is not served, and applies what comes after its objects', async () => {
    const asked: string[] = [];
    const refusal = new PlatformError('NotFound', 'Unknown kind', { details: { reason: 'KindNotServed' } });
    cluster.refusal = ({ kind, metadata }) => {
      asked.push(metadata.name);
      return kind === 'Widget' ? refusal : undefined;
    };
    const widgets = ['a', 'b'].map((name) => ({ apiVersion: 'x/v1', kind: 'Widget', metadata: { name } }));

    await expect(applyManifests(cluster, [...widgets, ...manifests], options)).rejects.toMatchObject({
      cause: refusal,
    });
    expect(asked).toEqual(['apps', 'a', 'settings', 'password']);
  });

  it.each([
    { name: 'takes no more for now', code: 'TooManyRequests' },
    { name: 'takes no credentials', code: 'Unauthenticated' },
    { name: 'is given up', code: 'Timeout' },
  ] as const)('stops at once when the cluster $name', async ({ code }) => {
    const refusal = new PlatformError(code, 'No');
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    await expect(applyManifests(cluster, manifests, options)).rejects.toBe(refusal);
    expect(cluster.writes).toEqual(['apply Namespace apps']);
  });
});
