import { describe, expect, it } from '@jest/globals';
import { forbidden } from '@crate/errors';
import { failing } from '../fixtures/failing.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { aConfigMap, CONFIG_MAPS, CONTEXT, localApi, refTo } from '../fixtures/local-api.js';
import type { AdmissionHook } from '../kinds/served-kind.js';

const MAP = refTo(CONFIG_MAPS, 'm');

describe('admission', () => {
  const hooked = (...admit: AdmissionHook[]) => localApi({ ...CONFIG_MAP, admit });

  it('may change the object, warn and see what was before', async () => {
    const seen: unknown[] = [];
    const { api } = hooked(
      ({ operation, object, oldObject }) => {
        seen.push([operation, oldObject?.data]);
        return Promise.resolve({ object: { ...object, data: { a: 'changed' } }, warnings: ['careful'] });
      },
      ({ object }) => {
        seen.push(object.data);
        return Promise.resolve();
      },
    );
    const { object, warnings } = await api.create(CONFIG_MAPS, aConfigMap('m', { a: '1' }), {}, CONTEXT);
    expect(object.data).toEqual({ a: 'changed' });
    expect(warnings).toEqual(['careful']);
    await api.remove(MAP, {}, CONTEXT);
    expect(seen).toEqual([['CREATE', undefined], { a: 'changed' }, ['DELETE', { a: 'changed' }], { a: 'changed' }]);
  });

  it('may refuse every operation', async () => {
    let refused = '';
    const { api } = hooked(({ operation }) =>
      operation === refused ? Promise.reject(forbidden('no')) : Promise.resolve(),
    );
    refused = 'CREATE';
    await expect(api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT)).rejects.toEqual(failing('Forbidden'));
    refused = 'UPDATE';
    await api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT);
    await expect(api.update(MAP, aConfigMap('m', { a: '1' }), {}, CONTEXT)).rejects.toEqual(failing('Forbidden'));
    refused = 'DELETE';
    await expect(api.remove(MAP, {}, CONTEXT)).rejects.toEqual(failing('Forbidden'));
  });
});
