import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiServer, type ApiServerFixture } from '../fixtures/api-server.js';
import { aCluster, CLUSTERS, CONTEXT, refTo } from '../fixtures/local-api.js';
import { refuseImpersonation } from './impersonation.js';

const PATH = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo';

let server: ApiServerFixture;
beforeAll(async () => {
  server = await startApiServer({ interceptors: [refuseImpersonation] });
  await server.api.create(CLUSTERS, aCluster(), {}, CONTEXT);
});
afterAll(() => server.close());

describe('a request that is to be carried out as somebody else', () => {
  it.each([
    {
      how: 'a user',
      headers: { 'impersonate-user': 'vera', 'impersonate-group': 'viewers' },
      says: 'users "vera" is forbidden: User "ada" cannot impersonate resource "users" in API group "" at the cluster scope',
    },
    {
      how: 'a group',
      headers: { 'impersonate-group': 'viewers' },
      says: 'groups "viewers" is forbidden: User "ada" cannot impersonate resource "groups" in API group "" at the cluster scope',
    },
    {
      how: 'a uid',
      headers: { 'impersonate-uid': '7' },
      says: 'uids.authentication.k8s.io "7" is forbidden: User "ada" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
    },
    {
      how: 'more that is known of somebody',
      headers: { 'impersonate-extra-scopes': 'view' },
      says: 'userextras.authentication.k8s.io "view" is forbidden: User "ada" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    },
  ])('is refused, and nothing is done: $how', async ({ headers, says }) => {
    const authorization = 'Bearer ada-token';
    const response = await fetch(`${server.url}${PATH}`, { method: 'DELETE', headers: { authorization, ...headers } });
    expect(await response.json()).toMatchObject({ code: 403, reason: 'Forbidden', message: says });
    expect(await server.api.get(refTo(CLUSTERS, 'demo'), CONTEXT)).toMatchObject({ metadata: { name: 'demo' } });
  });

  it('says nothing to whoever is not known', async () => {
    const response = await fetch(`${server.url}${PATH}`, { headers: { 'impersonate-user': 'vera' } });
    expect(response.status).toBe(401);
  });
});
