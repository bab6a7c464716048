import { expect, it } from '@jest/globals';
import { badRequest, conflict, fromStatus, notFound, toStatus, unavailable } from '@crate/errors';
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

  const query = { expirationSeconds: '28800' };
  expect(await read(aCluster(), REF, CONTEXT, query)).toBe('apiVersion: v1');
  const ref = { ...{ group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'kubernetesclusters' }, name: 'demo' };
  expect(asked).toEqual([[{ ...ref, namespace: 'team-a' }, 'kubeconfig', CONTEXT, query]]);
});

it.each([
  { name: 'there is nothing of it yet', error: notFound('kubernetesclusters', 'demo') },
  { name: 'Kubernetes is not up', error: conflict('There is none') },
])('is refused while $name: how far it is, and when to ask again', async ({ error }) => {
  const readSubresource: ResourceApi['readSubresource'] = () => Promise.reject(error);
  const read = clusterKubeconfig({ readSubresource } as ResourceApi);
  const status = toStatus(await read(aCluster(), REF, CONTEXT).catch((thrown: unknown) => thrown));
  expect(status).toMatchObject({
    code: 409,
    message: 'There is no kubeconfig of cluster "demo": Kubernetes is not up yet (NotStarted; Not started yet)',
    details: { kind: 'clusters', name: 'demo', retryAfterSeconds: 15 },
  });
});

it.each([
  { name: 'a time that a kubeconfig cannot have', error: badRequest('expirationSeconds must be') },
  { name: 'an authority that nobody knows', error: conflict('No authority', { reason: 'AuthorityUnknown' }) },
])('passes on the refusal of $name', async ({ error }) => {
  const overTheWire = fromStatus(toStatus(error));
  const readSubresource: ResourceApi['readSubresource'] = () => Promise.reject(overTheWire);
  await expect(clusterKubeconfig({ readSubresource } as ResourceApi)(aCluster(), REF, CONTEXT)).rejects.toBe(
    overTheWire,
  );
});

it('passes on what went wrong on the way', async () => {
  const readSubresource: ResourceApi['readSubresource'] = () => Promise.reject(unavailable('cluster-mgmt is away'));
  const read = clusterKubeconfig({ readSubresource } as ResourceApi);
  await expect(read(aCluster(), REF, CONTEXT)).rejects.toMatchObject({ code: 'Unavailable' });
});
