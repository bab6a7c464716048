import { describe, expect, it } from '@jest/globals';
import { hasCode } from '@crate/errors';
import { InMemoryResourceStore } from '@crate/resource-store';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING } from '../kinds/rbac.js';
import { ObjectCache } from '../runtime/object-cache.js';
import { RbacAuthorizer } from './authorizer.js';

const GROUP = 'rbac.authorization.k8s.io';

async function authorizer(): Promise<RbacAuthorizer> {
  const store = new InMemoryResourceStore();
  const put = (kind: string, name: string, body: object, namespace?: string): Promise<unknown> =>
    store.create({ apiVersion: `${GROUP}/v1`, kind, metadata: { name, namespace }, ...body } as never);
  const pods = { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] };
  await put('ClusterRole', 'pod-reader', {
    rules: [pods, { nonResourceURLs: ['/healthz', '/apis/*'], verbs: ['get'] }],
  });
  await put(
    'Role',
    'one-secret',
    { rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['s'], verbs: ['*'] }] },
    'a',
  );
  await put('ClusterRoleBinding', 'everywhere', {
    roleRef: { kind: 'ClusterRole', name: 'pod-reader' },
    subjects: [{ kind: 'User', name: 'ann' }],
  });
  const bob = [{ kind: 'ServiceAccount', name: 'bob' }];
  await put('RoleBinding', 'here', { roleRef: { kind: 'ClusterRole', name: 'pod-reader' }, subjects: bob }, 'a');
  await put('RoleBinding', 'secret', { roleRef: { kind: 'Role', name: 'one-secret' }, subjects: bob }, 'a');
  return new RbacAuthorizer(await ObjectCache.open(store, [ROLE, ROLE_BINDING, CLUSTER_ROLE, CLUSTER_ROLE_BINDING]));
}

const BOB = 'system:serviceaccount:a:bob';
const pods = { group: '', version: 'v1', resource: 'pods', verb: 'list' };
const secrets = { ...pods, resource: 'secrets', verb: 'get', namespace: 'a' };

describe('RbacAuthorizer', () => {
  it.each([
    { name: 'a cluster-wide role', user: 'ann', attributes: pods, want: true },
    { name: 'a cluster-wide role in a namespace', user: 'ann', attributes: { ...pods, namespace: 'b' }, want: true },
    { name: 'a verb it lacks', user: 'ann', attributes: { ...pods, verb: 'delete' }, want: false },
    {
      name: 'a subresource it names',
      user: 'ann',
      attributes: { ...pods, subresource: 'log', verb: 'get' },
      want: true,
    },
    {
      name: 'a subresource it does not',
      user: 'ann',
      attributes: { ...pods, subresource: 'exec', verb: 'get' },
      want: false,
    },
    { name: 'another group', user: 'ann', attributes: { ...pods, group: 'apps' }, want: false },
    { name: 'a path', user: 'ann', attributes: { verb: 'get', path: '/apis/apps' }, want: true },
    { name: 'another path', user: 'ann', attributes: { verb: 'get', path: '/metrics' }, want: false },
    { name: 'a bound namespace', user: BOB, attributes: { ...pods, namespace: 'a' }, want: true },
    { name: 'another namespace', user: BOB, attributes: { ...pods, namespace: 'b' }, want: false },
    { name: 'all namespaces', user: BOB, attributes: pods, want: false },
    { name: 'the object named', user: BOB, attributes: { ...secrets, name: 's' }, want: true },
    { name: 'another object', user: BOB, attributes: { ...secrets, name: 't' }, want: false },
    { name: 'somebody unknown', user: 'eve', attributes: pods, want: false },
  ])('$name: $want', async ({ user, attributes, want }) => {
    const call = async (): Promise<void> => (await authorizer()).authorize({ user, groups: [] }, attributes);
    const isAllowed = await call().then(
      () => true,
      (error: unknown) => !hasCode(error, 'Forbidden'),
    );

    expect(isAllowed).toBe(want);
  });

  it('lets administrators do everything', async () => {
    await (await authorizer()).authorize({ user: 'root', groups: ['system:masters'] }, { ...pods, verb: 'delete' });
  });
});
