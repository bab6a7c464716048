import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { at } from '../fixtures/at.js';
import { HttpBench } from '../fixtures/http-bench.js';

const bench = new HttpBench();
const AWAY: Readonly<Record<string, string>> = { 'cloud.crate.dev': 'cloud-mgmt' };
beforeEach(() => bench.start({ awayOwner: (group) => AWAY[group] }));
afterEach(() => bench.stop());

describe('what is not known', () => {
  it.each([
    { method: 'GET', path: '/apis/cloud.crate.dev' },
    { method: 'GET', path: '/apis/cloud.crate.dev/v1alpha1' },
    { method: 'GET', path: '/apis/cloud.crate.dev/v1alpha1/cloudaccounts?watch=true' },
    { method: 'GET', path: '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts/sandbox' },
    { method: 'DELETE', path: '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts/sandbox' },
  ])('is not gone while the service of its group is away: $method $path', async ({ method, path }) => {
    const { code, body, headers } = await bench.call(method, path);
    expect([code, at(body, '.reason'), headers.get('retry-after')]).toEqual([503, 'ServiceUnavailable', '1']);
    expect(at(body, '.message')).toMatch(/Nobody answers for cloud\.crate\.dev now: its service cloud-mgmt is away/);
  });

  it.each([
    '/apis/nobody.example.com',
    '/apis/nobody.example.com/v1/namespaces/team-a/things/a',
    '/apis/lifecycle.crate.dev/v1alpha1/rockets',
    '/api/v1/rockets',
  ])('does not exist where its group is nobody’s, or of who is known: %s', async (path) => {
    expect((await bench.call('GET', path)).code).toBe(404);
  });
});
