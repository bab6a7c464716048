import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { notFound } from '@crate/errors';
import { at } from '../fixtures/at.js';
import { type Answer, HttpBench, MAP_PATH } from '../fixtures/http-bench.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { aConfigMap, CONFIG_MAPS, CONTEXT, localApi, refTo } from '../fixtures/local-api.js';
import type { AdmissionHook } from '../kinds/served-kind.js';
import { type Authorize, forbiddenFor } from './authorization.js';

const PATH = `${MAP_PATH}/m?fieldManager=ci`;
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

const bench = new HttpBench();
let asked: string[];
let mayCreate: boolean;
const authorize: Authorize = (caller, attributes) => {
  asked.push(attributes.verb);
  const isRefused = attributes.verb === 'create' && !mayCreate;
  return isRefused ? Promise.reject(forbiddenFor(caller, attributes)) : Promise.resolve();
};
beforeEach(async () => {
  asked = [];
  mayCreate = false;
  await bench.start({ authorize });
});
afterEach(() => bench.stop());

function apply(data: Record<string, string>, query = ''): Promise<Answer> {
  return bench.call('PATCH', `${PATH}${query}`, { body: aConfigMap('m', data), headers: APPLY });
}

describe('an apply', () => {
  it.each(['', '&dryRun=All'])('that would create takes the right to create, too%s', async (query) => {
    const { code, body } = await apply({ a: '1' }, query);
    expect([code, at(body, '.message')]).toEqual([
      403,
      'configmaps "m" is forbidden: User "ada" cannot create resource "configmaps" in API group "" in the namespace "team-a"',
    ]);
    expect(asked).toEqual(['patch', 'create']);
    expect((await bench.call('GET', `${MAP_PATH}/m`)).code).toBe(404);
  });

  it('creates for whoever may, and takes no more than patch once the object is there', async () => {
    mayCreate = true;
    expect((await apply({ a: '1' })).code).toBe(201);
    mayCreate = false;
    const { code, body } = await apply({ a: '2' });
    expect([code, at(body, '.data.a')]).toEqual([200, '2']);
    expect(asked).toEqual(['patch', 'create', 'patch']);
  });

  it('is judged by what is there once all of it has come in', async () => {
    const { api, url } = bench.server;
    await api.create(CONFIG_MAPS, aConfigMap('m', { a: '1' }), {}, CONTEXT);
    const text = JSON.stringify(aConfigMap('m', { a: '2' }));
    async function* slowly(): AsyncGenerator<string> {
      yield text.slice(0, 10);
      while (asked.length === 0) await new Promise(setImmediate);
      await api.remove(refTo(CONFIG_MAPS, 'm'), {}, CONTEXT);
      yield text.slice(10);
    }
    const body = ReadableStream.from(slowly()).pipeThrough(new TextEncoderStream());
    const headers = { authorization: 'Bearer ada-token', ...APPLY };
    const response = await fetch(`${url}${PATH}`, { method: 'PATCH', headers, body, duplex: 'half' });
    expect(response.status).toBe(403);
  });

  it('says what it misses when that is something else', async () => {
    const missing: AdmissionHook = ({ operation }) =>
      operation === 'UPDATE' ? Promise.reject(notFound('secrets', 'm')) : Promise.resolve();
    await bench.restart({ fixture: localApi({ ...CONFIG_MAP, admit: [missing] }), authorize });
    await bench.server.api.create(CONFIG_MAPS, aConfigMap('m', { a: '1' }), {}, CONTEXT);
    const { code, body } = await apply({ b: '2' });
    expect([code, at(body, '.message')]).toEqual([404, 'secrets "m" not found']);
    expect(asked).toEqual(['patch']);
  });
});
