import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { invariant, PlatformError } from '@crate/errors';
import { at } from '../fixtures/at.js';
import { CLUSTER_PATH, HttpBench, MAP_PATH } from '../fixtures/http-bench.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { aConfigMap, localApi } from '../fixtures/local-api.js';

const bench = new HttpBench();
const { call, post } = bench;
beforeEach(() => bench.start());
afterEach(() => bench.stop());

describe('errors', () => {
  it.each([
    { name: 'an unknown path', method: 'GET', path: '/nope', code: 404 },
    { name: 'an unknown group', method: 'GET', path: '/apis/nope.dev/v1/things', code: 404 },
    { name: 'an empty segment', method: 'GET', path: '/apis//v1/things', code: 404 },
    { name: 'a broken escape', method: 'GET', path: '/api/v1/namespaces/%zz/pods', code: 404 },
    { name: 'an object across namespaces', method: 'GET', path: '/api/v1/configmaps/m', code: 404 },
    { name: 'a namespace of a cluster-scoped kind', method: 'GET', path: '/api/v1/namespaces/x/nodes', code: 404 },
    { name: 'a path that is too deep', method: 'GET', path: `${MAP_PATH}/a/b/c`, code: 404 },
    { name: 'a method that no path takes', method: 'OPTIONS', path: MAP_PATH, code: 405 },
    { name: 'POST to an object', method: 'POST', path: `${MAP_PATH}/m`, code: 405 },
    { name: 'PUT to a collection', method: 'PUT', path: MAP_PATH, code: 405 },
    { name: 'POST across namespaces', method: 'POST', path: '/api/v1/configmaps', code: 405 },
    { name: 'DELETE across namespaces', method: 'DELETE', path: '/api/v1/configmaps', code: 405 },
    { name: 'a bad limit', method: 'GET', path: `${MAP_PATH}?limit=x`, code: 400 },
    { name: 'a bad includeObject', method: 'GET', path: `${MAP_PATH}?includeObject=x`, code: 400 },
    { name: 'a bad fieldValidation', method: 'POST', path: `${MAP_PATH}?fieldValidation=x`, code: 422 },
    { name: 'a bad dryRun', method: 'DELETE', path: `${MAP_PATH}/m?dryRun=x`, code: 422 },
    { name: 'a bad propagationPolicy', method: 'DELETE', path: `${MAP_PATH}/m?propagationPolicy=x`, code: 422 },
    { name: 'a bad label selector', method: 'GET', path: `${MAP_PATH}?labelSelector=%21%21`, code: 400 },
  ])('answer $name with $code', async ({ method, path, code }) => {
    const body = method === 'POST' ? { body: aConfigMap('m', {}) } : {};
    const answer = await call(method, path, body);
    expect(answer.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
    expect(answer.code).toBe(code);
  });

  it.each([
    { name: 'JSON that is none', body: '{', type: 'application/json', code: 400 },
    { name: 'YAML that is none', body: 'a: [', type: 'application/yaml', code: 400 },
    { name: 'no object', body: '[]', type: 'application/json', code: 400 },
    { name: 'nothing', body: '', type: 'application/json', code: 400 },
    { name: 'another namespace', body: '{"metadata":{"namespace":"x"}}', type: 'application/json', code: 400 },
    { name: 'another media type', body: 'x', type: 'application/cbor', code: 415 },
    { name: 'too much', body: 'x'.repeat(3 * 1024 * 1024 + 1), type: 'application/json', code: 413 },
  ])('answer a body that is $name with $code', async ({ body, type, code }) => {
    expect((await post(MAP_PATH, body, type)).body).toMatchObject({ kind: 'Status', code });
  });

  it('refuses YAML that would grow without bound', async () => {
    const lines = [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`),
    ];
    expect((await post(MAP_PATH, lines.join('\n'), 'application/yaml')).code).toBe(400);
  });

  it('answer 406 when nothing is acceptable', async () => {
    const { body } = await call('GET', MAP_PATH, { headers: { accept: 'text/html' } });
    expect(body).toMatchObject({ code: 406, reason: 'NotAcceptable' });
  });

  it('answer 415 to strategic merge patches of custom resources only', async () => {
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    const custom = await call('PATCH', `${CLUSTER_PATH}/demo`, { body: {}, headers });
    expect(custom.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    await post(MAP_PATH, aConfigMap('m', { a: '1' }));
    const core = await call('PATCH', `${MAP_PATH}/m`, { body: { data: { b: '2' } }, headers });
    expect(at(core.body, '.data')).toEqual({ a: '1', b: '2' });
  });

  it('answer 401 without a valid token', async () => {
    const { code, headers, body } = await call('GET', MAP_PATH, { headers: { authorization: 'Bearer nope' } });
    expect([code, headers.get('www-authenticate'), at(body, '.reason')]).toEqual([401, 'Bearer', 'Unauthorized']);
  });

  it("answer 403 in Kubernetes' words", async () => {
    const { body } = await call('DELETE', `${CLUSTER_PATH}/demo`, { headers: { authorization: 'Bearer vera-token' } });
    expect(body).toMatchObject({
      code: 403,
      message:
        'clusters.lifecycle.crate.dev "demo" is forbidden: User "vera" cannot delete resource "clusters" ' +
        'in API group "lifecycle.crate.dev" in the namespace "team-a"',
    });
  });

  it('never show what is inside', async () => {
    const admit = [() => Promise.reject(invariant('secret detail')), () => Promise.reject(new Error('secret detail'))];
    for (const hook of admit) {
      await bench.restart({ fixture: localApi({ ...CONFIG_MAP, admit: [hook] }) });
      const { text, code } = await post(MAP_PATH, aConfigMap('m', {}));
      expect(code).toBeGreaterThanOrEqual(500);
      expect(text).not.toContain('secret detail');
      expect(bench.server.logger.at('error')).toHaveLength(1);
    }
  });

  it('tell when to try again', async () => {
    const busy = new PlatformError('TooManyRequests', 'Slow down', { details: { retryAfterMs: 1500 } });
    await bench.restart({ fixture: localApi({ ...CONFIG_MAP, admit: [() => Promise.reject(busy)] }) });
    const { code, headers } = await post(MAP_PATH, aConfigMap('m', {}));
    expect([code, headers.get('retry-after')]).toEqual([429, '2']);
  });

  it('hide that a namespace is missing where there are none', async () => {
    const fixture = localApi();
    fixture.kinds.remove({ group: '', version: 'v1', plural: 'namespaces' });
    await bench.restart({ fixture });
    expect((await call('GET', '/api/v1/namespaces/team-a')).code).toBe(403);
  });
});
