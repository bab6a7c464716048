import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import * as api from '../index.js';
import { apiVersionOf, defineKind, type KindDefinition } from './kind.js';

const ALL: readonly KindDefinition[] = [
  api.PROJECT,
  api.CLUSTER,
  api.ADD_ON,
  api.CLOUD_ACCOUNT,
  api.INFRASTRUCTURE,
  api.KUBERNETES_CLUSTER,
  api.ADD_ON_INSTALLATION,
  api.POLICY,
  api.POLICY_WAIVER,
];

describe('every kind', () => {
  it('has names of its own', () => {
    for (const names of [
      ALL.map(({ kind }) => kind),
      ALL.map(({ group, plural }) => `${plural}.${group}`),
      ALL.flatMap(({ shortNames }) => shortNames),
    ]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it.each(ALL)('$kind can be described to a client', (definition) => {
    const { description, kind, plural, singular, body } = definition;
    expect([plural.toLowerCase(), singular]).toEqual([plural, kind.toLowerCase()]);
    expect(description).toMatch(/^[A-Z].*\.$/);
    const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
    expect(Object.keys(schema.properties ?? {})).toEqual(['spec', 'status']);
  });

  it.each(ALL)('$kind has columns that name fields it has', ({ body, printerColumns }) => {
    const schema = z.toJSONSchema(body, { io: 'output', unrepresentable: 'any' });
    for (const { jsonPath } of printerColumns) {
      if (jsonPath.startsWith('.metadata.')) continue;
      expect({ jsonPath, found: fieldAt(schema, jsonPath) }).toEqual({ jsonPath, found: true });
    }
  });

  it.each(ALL.filter(({ body }) => !body.safeParse({ spec: {} }).success))(
    '$kind refuses a document without a spec, and a field it does not know',
    ({ body }) => {
      expect(body.safeParse({}).error?.issues.map(({ path }) => path.join('.'))).toContain('spec');
      const { issues } = body.safeParse({ spec: { surprise: 1 } }).error ?? { issues: [] };
      expect(issues).toContainEqual(expect.objectContaining({ code: 'unrecognized_keys', keys: ['surprise'] }));
    },
  );
});

/** Whether the path leads through the properties of a JSON schema; a filter stands for any element. */
function fieldAt(schema: unknown, jsonPath: string): boolean {
  const steps = jsonPath
    .replace(/\[(\?\(.*?\)|\*)\]/, '.*')
    .split('.')
    .filter(Boolean);
  let at = schema as Schema | undefined;
  for (const step of steps) at = step === '*' ? at?.items : at?.properties?.[step];
  return at !== undefined;
}

interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
}

describe('defineKind', () => {
  const definition = defineKind({
    group: 'toys.crate.dev',
    version: 'v1',
    kind: 'ToyBox',
    plural: 'toyboxes',
    namespaced: true,
    description: 'A box of toys.',
    spec: z.strictObject({ size: z.int().default(3) }),
    status: z.object({}),
  });

  it('fills in what is not said', () => {
    expect(definition).toMatchObject({ singular: 'toybox', shortNames: [], selectableFields: [], hasStatus: true });
    expect(apiVersionOf(definition)).toBe('toys.crate.dev/v1');
    expect(apiVersionOf({ group: '', version: 'v1' })).toBe('v1');
  });

  it('fills in defaults of the spec, and takes a document without a status', () => {
    expect(definition.body.parse({ spec: {} })).toEqual({ spec: { size: 3 } });
  });
});
