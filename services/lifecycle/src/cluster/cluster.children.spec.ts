import { describe, expect, it } from '@jest/globals';
import { CLUSTER_NAME_LABEL, CLUSTER_UID_LABEL, KUBERNETES_CLUSTER, type KubeObject } from '@crate/api';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { aCluster, anInfrastructure, ready } from '../testing/a-cluster.js';
import { childLabels, childSelector, clusterKeysOf, essenceOfChild, FIELD_MANAGER } from './cluster.children.js';
import { ensureChild } from './cluster.known-child.js';

describe('children of a cluster', () => {
  it('carry its name, its uid, its engine and its cloud, and are selected by the uid alone', () => {
    expect(childLabels({ cluster: aCluster(), provider: 'aws' })).toEqual({
      'lifecycle.crate.dev/cluster': 'demo',
      'lifecycle.crate.dev/cluster-uid': 'uid-demo',
      'lifecycle.crate.dev/engine': 'rke',
      'lifecycle.crate.dev/provider': 'aws',
    });
    expect(childSelector(aCluster())).toBe('lifecycle.crate.dev/cluster-uid=uid-demo');
  });

  it('carry the labels that people gave it, and nothing that stands for ours', () => {
    const labels = {
      stage: 'prod',
      'example.org/team': 'a',
      'lifecycle.crate.dev/cluster-uid': 'other',
      'crate.dev/x': 'y',
    };
    const cluster = aCluster();
    expect(childLabels({ cluster: { ...cluster, metadata: { ...cluster.metadata, labels } } })).toEqual({
      ...{ stage: 'prod', 'example.org/team': 'a' },
      ...childLabels({ cluster }),
    });
  });

  it('are owned by it, also those that were made without an owner, and state nothing twice', async () => {
    const kinds = new KindRegistry();
    kinds.add({ definition: KUBERNETES_CLUSTER });
    const context = { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 't' };
    const api = new LocalResourceApi({ store: new InMemoryResourceStore(), kinds });
    const client = new TypedClient(api, KUBERNETES_CLUSTER, context);
    const spec = { engine: 'rke', clusterName: 'demo' };
    const labels = { [CLUSTER_UID_LABEL]: 'uid-demo' };
    await client.ensure({ metadata: { name: 'demo', namespace: 'team-a', labels }, spec }, FIELD_MANAGER);

    const child = await ensureChild(client, { cluster: aCluster() }, { name: 'demo', spec });
    const owner = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', name: 'demo', uid: 'uid-demo' };
    expect(child.metadata.ownerReferences).toEqual([{ ...owner, controller: true }]);
    const again = await ensureChild(client, { cluster: aCluster() }, { name: 'demo', spec });
    expect(again.metadata.resourceVersion).toBe(child.metadata.resourceVersion);
  });

  it('wake their cluster, and what people made themselves wakes nobody', () => {
    const child: KubeObject = anInfrastructure();
    expect(clusterKeysOf(child)).toEqual([]);
    const labels = { [CLUSTER_NAME_LABEL]: 'demo' };
    expect(clusterKeysOf({ ...child, metadata: { ...child.metadata, labels } })).toEqual([
      { namespace: 'team-a', name: 'demo' },
    ]);
  });
});

describe('what passes go by in a child', () => {
  const child = anInfrastructure({ conditions: [ready('False')], progress: { step: 1, steps: 9, message: 'aws_vpc' } });
  const { metadata, status } = child;

  it.each<{ reason: string; then: KubeObject }>([
    {
      reason: 'how far it is',
      then: { ...child, status: { ...status, progress: { step: 2, steps: 9, message: 'aws_subnet' } } },
    },
    {
      reason: 'in which words',
      then: { ...child, status: { ...status, conditions: [{ ...ready('False'), message: '2 of 3' }] } },
    },
    {
      reason: 'who wrote it when',
      then: { ...child, metadata: { ...metadata, resourceVersion: '99', managedFields: [] } },
    },
  ])('is not $reason', ({ then }) => {
    expect(essenceOfChild(then)).toEqual(essenceOfChild(child));
  });

  it.each<{ reason: string; then: KubeObject }>([
    { reason: 'its spec, by the generation', then: { ...child, metadata: { ...metadata, generation: 2 } } },
    {
      reason: 'that it is to go',
      then: { ...child, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    },
    { reason: 'what is said about it', then: { ...child, metadata: { ...metadata, annotations: { a: 'b' } } } },
    { reason: 'what it has come to', then: { ...child, status: { ...status, conditions: [ready('True')] } } },
    { reason: 'that it fails', then: { ...child, status: { ...status, failure: { code: 'QuotaExceeded' } } } },
    { reason: 'that it says anything at all', then: { ...child, status: undefined } },
  ])('is $reason', ({ then }) => {
    expect(essenceOfChild(then)).not.toEqual(essenceOfChild(child));
  });
});
