import { CLUSTER, NODE_POOL, PROJECT } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { CONFIG_MAP, DEPLOYMENT, POD } from '../fixtures/kinds.js';
import { kindInfoOf } from '../kinds/kind-info.js';
import { Discovery } from './discovery.js';
import { groupKinds } from './kind-order.js';

const KINDS = [CLUSTER, PROJECT, ...[CONFIG_MAP, DEPLOYMENT, POD].map((kind) => kind.definition)].map((kind) =>
  kindInfoOf(kind),
);
const discovery = new Discovery(KINDS);

describe('groupKinds', () => {
  it('prefers stable and newer versions', () => {
    const pod = kindInfoOf(POD.definition);
    const versions = ['v1alpha1', 'v1beta2', 'v2', 'foo', 'v1', 'v1beta10', 'v10', 'bar'];
    const [group] = groupKinds(versions.map((version) => ({ ...pod, version })));
    expect(group?.versions.map(({ version }) => version)).toEqual([
      ...['v10', 'v2', 'v1', 'v1beta10', 'v1beta2', 'v1alpha1', 'bar', 'foo'],
    ]);
  });
});

describe('Discovery, aggregated', () => {
  it('keeps the core group apart', () => {
    const names = (isCore: boolean) =>
      (discovery.aggregated('v2', isCore) as { items: { metadata: { name: string } }[] }).items.map(
        (item) => item.metadata.name,
      );
    expect(names(true)).toEqual(['']);
    expect(names(false)).toEqual(['apps', 'lifecycle.crate.dev', 'authentication.k8s.io', 'authorization.k8s.io']);
  });

  it('describes resources and subresources', () => {
    expect(discovery.aggregated('v2beta1', false)).toMatchObject({
      apiVersion: 'apidiscovery.k8s.io/v2beta1',
      items: expect.arrayContaining([
        expect.objectContaining({
          metadata: { name: 'lifecycle.crate.dev', creationTimestamp: null },
          versions: [
            {
              version: 'v1alpha1',
              freshness: 'Current',
              resources: expect.arrayContaining([
                {
                  resource: 'clusters',
                  responseKind: { group: 'lifecycle.crate.dev', version: 'v1alpha1', kind: 'Cluster' },
                  scope: 'Namespaced',
                  singularResource: 'cluster',
                  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
                  shortNames: ['cl'],
                  categories: ['crate'],
                  subresources: expect.arrayContaining([
                    expect.objectContaining({ subresource: 'status', verbs: ['get', 'patch', 'update'] }),
                    expect.objectContaining({ subresource: 'kubeconfig', verbs: ['get'] }),
                  ]) as unknown,
                },
                expect.objectContaining({ resource: 'projects', scope: 'Cluster' }),
              ]) as unknown,
            },
          ],
        }),
      ]) as unknown,
    });
  });
});

describe('Discovery, legacy', () => {
  it('lists versions and groups', () => {
    expect(discovery.coreVersions()).toEqual({ kind: 'APIVersions', versions: ['v1'] });
    expect(discovery.groupList()).toMatchObject({
      kind: 'APIGroupList',
      groups: [{ name: 'apps', preferredVersion: { groupVersion: 'apps/v1', version: 'v1' } }, {}, {}, {}],
    });
    expect(discovery.group('apps')).toMatchObject({ kind: 'APIGroup', name: 'apps' });
    expect(discovery.group('nope')).toBeUndefined();
  });

  it('lists the resources of a version', () => {
    const { resources } = discovery.resources('apps', 'v1') as { resources: { name: string }[] };
    expect(resources).toEqual([
      expect.objectContaining({ name: 'deployments', kind: 'Deployment', shortNames: ['deploy'] }),
      expect.objectContaining({ name: 'deployments/status', kind: 'Deployment' }),
      expect.objectContaining({ name: 'deployments/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' }),
    ]);
    expect(discovery.resources('', 'v1')).toMatchObject({ groupVersion: 'v1' });
    expect(discovery.resources('apps', 'v2')).toBeUndefined();
  });

  it('offers of a status what its kind offers', () => {
    const { group, version } = NODE_POOL;
    const readOnly = new Discovery([kindInfoOf(NODE_POOL)]).resources(group, version);
    expect(readOnly).toMatchObject({
      resources: expect.arrayContaining([
        expect.objectContaining({ name: 'nodepools', verbs: ['get', 'list', 'watch'] }),
        expect.objectContaining({ name: 'nodepools/status', verbs: ['get'] }),
      ]) as unknown,
    });
  });

  it('offers the questions about oneself', () => {
    expect(discovery.resources('authorization.k8s.io', 'v1')).toMatchObject({
      resources: [{ name: 'selfsubjectaccessreviews', verbs: ['create'] }, { name: 'selfsubjectrulesreviews' }],
    });
  });
});
