import type { ClusterClass } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { secretParameters } from './use-draft.js';

const SECRET = { type: 'string', format: 'password' };
const PLAIN = { type: 'string' };

const pathsOf = (properties: object): readonly string[] => {
  const clusterClass = { spec: { parameters: { type: 'object', properties } } } as unknown as ClusterClass;
  return secretParameters(clusterClass).map((path) => path.join('.'));
};

describe('parameters that are kept nowhere', () => {
  it.each([
    { of: 'a text', properties: { licence: SECRET, size: PLAIN }, paths: ['licence'] },
    {
      of: 'an object within',
      properties: { registry: { type: 'object', properties: { user: PLAIN, token: SECRET } } },
      paths: ['registry.token'],
    },
    {
      of: 'a list',
      properties: { tokens: { type: 'array', items: SECRET }, names: { items: PLAIN } },
      paths: ['tokens'],
    },
    {
      of: 'a list of objects',
      properties: { registries: { type: 'array', items: { properties: { token: SECRET } } } },
      paths: ['registries'],
    },
    { of: 'a map', properties: { logins: { type: 'object', additionalProperties: SECRET } }, paths: ['logins'] },
  ])('are those of $of', ({ properties, paths }) => {
    expect(pathsOf(properties)).toEqual(paths.map((path) => `spec.parameters.${path}`));
  });

  it('are none without a class', () => {
    expect(secretParameters(undefined)).toEqual([]);
  });
});
