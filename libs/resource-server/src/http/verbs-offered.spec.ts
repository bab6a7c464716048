import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpBench, MAP_PATH } from '../fixtures/http-bench.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { aConfigMap, CONFIG_MAPS, CONTEXT, localApi } from '../fixtures/local-api.js';

const instead = 'they are made elsewhere';
const READ_ONLY = { ...CONFIG_MAP, definition: { ...CONFIG_MAP.definition, verbs: ['get', 'list', 'watch'], instead } };
const OBJECT = `${MAP_PATH}/m`;
const WRITES = [
  { verb: 'create', method: 'POST', path: MAP_PATH },
  { verb: 'update', method: 'PUT', path: OBJECT },
  { verb: 'patch', method: 'PATCH', path: OBJECT },
  { verb: 'delete', method: 'DELETE', path: OBJECT },
  { verb: 'deletecollection', method: 'DELETE', path: MAP_PATH },
];

const bench = new HttpBench();
const { call } = bench;
beforeEach(async () => {
  const fixture = localApi(READ_ONLY as typeof CONFIG_MAP);
  await bench.start({ fixture });
  await fixture.api.create(CONFIG_MAPS, aConfigMap('m', { a: '1' }), {}, CONTEXT); // As its owner does.
});
afterEach(() => bench.stop());

describe('a kind that is not written from outside', () => {
  it.each(WRITES)('refuses $verb with 405 and what to do instead', async ({ method, path }) => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const { code, body } = await call(method, path, { body: aConfigMap('m', { a: '2' }), headers });
    expect(code).toBe(405);
    expect(body).toMatchObject({
      reason: 'MethodNotAllowed',
      message: expect.stringContaining(`: ${instead}`) as unknown,
    });
    expect((await call('GET', OBJECT)).body).toMatchObject({ data: { a: '1' } });
  });

  it('is read as any other', async () => {
    expect((await call('GET', OBJECT)).code).toBe(200);
    expect((await call('GET', MAP_PATH)).body).toMatchObject({ items: [{ metadata: { name: 'm' } }] });
  });

  it.each(WRITES)('tells whoever may not $verb just that (403)', async ({ method, path }) => {
    const headers = { authorization: 'Bearer vera-token' };
    const { code, body } = await call(method, path, { body: aConfigMap('m', {}), headers });
    expect([code, JSON.stringify(body).includes(instead)]).toEqual([403, false]);
  });
});
