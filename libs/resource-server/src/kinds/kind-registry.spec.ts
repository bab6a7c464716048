import { CLUSTER } from '@crate/api';
import { z } from 'zod';
import { describe, expect, it } from '@jest/globals';
import { CONFIG_MAP, POD } from '../fixtures/kinds.js';
import { kindInfoOf } from './kind-info.js';
import { KindRegistry } from './kind-registry.js';

const MAPS = { group: '', version: 'v1', plural: 'configmaps' };

describe('kindInfoOf', () => {
  it('is plain JSON with descriptions, defaults and extensions', () => {
    const info = kindInfoOf(CLUSTER);
    expect(JSON.parse(JSON.stringify(info))).toEqual(info);
    expect(info).toMatchObject({
      plural: 'clusters',
      schema: {
        type: 'object',
        required: ['spec'],
        properties: {
          spec: {
            properties: {
              region: { description: expect.stringMatching(/^Region of the provider/) },
              paused: { default: false },
              addOns: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
            },
          },
        },
      },
    });
  });

  it('does not ask clients for what a Project or a class fills in', () => {
    const { filledIn = [], ...demanding } = CLUSTER;
    expect(kindInfoOf(demanding).schema).toMatchObject({ properties: { spec: { required: [...filledIn] } } });
    expect(kindInfoOf(CLUSTER).schema).not.toHaveProperty('properties.spec.required');
  });

  it('says that a loose body keeps what it does not know', () => {
    expect(kindInfoOf(POD.definition).schema).toEqual({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  it('says of a value that may be anything that it may', () => {
    const body = z.strictObject({
      from: z.unknown(),
      rest: z.looseObject({ a: z.string() }),
      map: z.record(z.string(), z.unknown()),
    });
    const anything = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(kindInfoOf({ ...POD.definition, body }).schema.properties).toMatchObject({
      from: anything,
      rest: { properties: { a: { type: 'string' } }, ...anything },
      map: { type: 'object', additionalProperties: anything },
    });
  });

  it('announces a stated schema in place of the body', () => {
    const schema = { type: 'object', properties: { data: { type: 'object' } } };
    expect(kindInfoOf(CONFIG_MAP.definition, schema).schema).toBe(schema);
  });
});

describe('KindRegistry', () => {
  it('adds, replaces and removes kinds while it runs', () => {
    const kinds = new KindRegistry([POD]);
    expect(() => kinds.get(MAPS)).toThrow(expect.objectContaining({ code: 'NotFound' }));
    kinds.add(CONFIG_MAP);
    expect(kinds.infos().map((info) => info.plural)).toEqual(['configmaps', 'pods']);
    const description = 'another';
    kinds.add({ definition: { ...CONFIG_MAP.definition, description } });
    expect(kinds.get(MAPS).info.description).toBe(description);
    kinds.remove(MAPS);
    kinds.remove(MAPS);
    expect(kinds.find(MAPS)).toBeUndefined();
  });
});
