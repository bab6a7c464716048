import type { AddOn, ClusterClass } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { newDraft } from './draft.js';
import { secretParameters, secretValues } from './secrets.js';

const SECRET = { type: 'string', format: 'password' };
const PLAIN = { type: 'string' };

const OF_CLASS = newDraft({ version: 'v1.31.8', className: 'small' });

const pathsOf = (properties: object): readonly string[] => {
  const parameters = { type: 'object', properties };
  const clusterClass = { metadata: { name: 'small' }, spec: { parameters } } as unknown as ClusterClass;
  return secretParameters(OF_CLASS, [clusterClass]).map((path) => path.join('.'));
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

  it.each([
    { where: 'nobody knows the class', draft: OF_CLASS },
    { where: 'there is none', draft: newDraft({ version: 'v1.31.8' }) },
    { where: 'it is whichever the Project has', draft: { ...OF_CLASS, spec: { parameters: { adminPassword: 'x' } } } },
  ])('are all where $where', ({ draft }) => {
    expect(secretParameters(draft, [])).toEqual([['spec', 'parameters']]);
  });
});

describe('values of add-ons that are kept nowhere', () => {
  const valuesSchema = { type: 'object', properties: { token: SECRET, size: PLAIN } };
  const addOn = { metadata: { name: 'ingress' }, spec: { version: '1.0.0', valuesSchema } } as unknown as AddOn;

  it('are those that their schema says, all where there is none to know, wherever the add-on stands in the draft', () => {
    const begun = newDraft({ version: 'v1.31.8' });
    const addOns = [{ name: 'own' }, { name: 'ingress' }, { name: 'ingress', version: '9.0.0' }];
    const draft = { ...begun, spec: { ...begun.spec, addOns } };
    expect(secretValues(draft, [addOn])).toEqual([
      ['spec', 'addOns', 0, 'values'],
      ['spec', 'addOns', 1, 'values', 'token'],
      ['spec', 'addOns', 2, 'values'],
    ]);
  });
});
