import { expect, it } from '@jest/globals';
import { notFound } from '@crate/errors';
import type { CallContext, ResourceApi, ResourceRef } from '@crate/resource-client';
import { aCluster } from '../testing/a-cluster.js';
import { clusterKubeconfig } from './cluster.kubeconfig.js';

const REF: ResourceRef = { group: 'lifecycle.crate.dev', version: 'v1alpha1', plural: 'clusters', name: 'demo' };
const CONTEXT: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };

it('is what cluster-mgmt gives for the KubernetesCluster of that name, asked for as the person', async () => {
  const asked: unknown[] = [];
  const readSubresource: ResourceApi['readSubresource'] = (...args) => {
    asked.push(args);
    return Promise.resolve('apiVersion: v1');
  };
  const read = clusterKubeconfig({ readSubresource } as ResourceApi);

  expect(await read(aCluster(), REF, CONTEXT)).toBe('apiVersion: v1');
  const ref = { ...{ group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'kubernetesclusters' }, name: 'demo' };
  expect(asked).toEqual([[{ ...ref, namespace: 'team-a' }, 'kubeconfig', CONTEXT]]);
});

it('is not found until Kubernetes is up', async () => {
  const readSubresource: ResourceApi['readSubresource'] = () => Promise.reject(notFound('kubeconfig', 'demo'));
  const read = clusterKubeconfig({ readSubresource } as ResourceApi);
  await expect(read(aCluster(), REF, CONTEXT)).rejects.toMatchObject({ code: 'NotFound' });
});
