import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from '../kinds/json-schema.js';
import { formatPath, toCause } from './field-error.js';
import { checkStructure } from './structural-schema.js';

function check(value: unknown, field: JsonSchema, required: string[] = []) {
  const schema: JsonSchema = { type: 'object', required, properties: { field } };
  return checkStructure(value === undefined ? {} : { field: value }, schema);
}

describe('checkStructure', () => {
  it.each<{ name: string; value: unknown; schema: JsonSchema; message: string }>([
    { name: 'type', value: 1, schema: { type: 'string' }, message: 'Invalid value: 1: must be of type string' },
    {
      name: 'integer',
      value: 1.5,
      schema: { type: 'integer' },
      message: 'Invalid value: 1.5: must be of type integer',
    },
    {
      name: 'int-or-string',
      value: true,
      schema: { 'x-kubernetes-int-or-string': true },
      message: 'Invalid value: true: must be of type integer or string',
    },
    {
      name: 'enum',
      value: 'z',
      schema: { enum: ['x', 'y'] },
      message: 'Unsupported value: "z": supported values: "x", "y"',
    },
    {
      name: 'pattern',
      value: 'A',
      schema: { pattern: '^[a-z]+$' },
      message: 'Invalid value: "A": must match ^[a-z]+$',
    },
    {
      name: 'minLength',
      value: '',
      schema: { minLength: 1 },
      message: 'Invalid value: "": must have at least 1 characters',
    },
    { name: 'maximum', value: 9, schema: { maximum: 7 }, message: 'Invalid value: 9: must be at most 7' },
    {
      name: 'exclusive minimum',
      value: 3,
      schema: { minimum: 3, exclusiveMinimum: true },
      message: 'Invalid value: 3: must be more than 3',
    },
    { name: 'multipleOf', value: 3, schema: { multipleOf: 2 }, message: 'Invalid value: 3: must be a multiple of 2' },
    {
      name: 'maxItems',
      value: [1, 2],
      schema: { maxItems: 1 },
      message: 'Invalid value: […]: must have at most 1 items',
    },
    {
      name: 'minProperties',
      value: {},
      schema: { minProperties: 1, additionalProperties: true },
      message: 'Invalid value: {…}: must have at least 1 fields',
    },
    {
      name: 'anyOf',
      value: 'x',
      schema: { anyOf: [{ maxLength: 0 }, { pattern: 'y' }] },
      message: 'Invalid value: "x": must fit at least one of the allowed forms',
    },
    {
      name: 'oneOf',
      value: 'x',
      schema: { oneOf: [{ maxLength: 3 }, { pattern: 'x' }] },
      message: 'Invalid value: "x": must fit exactly one of the allowed forms',
    },
    {
      name: 'not',
      value: 'x',
      schema: { not: { enum: ['x'] } },
      message: 'Invalid value: "x": must not have this form',
    },
    {
      name: 'allOf, deeply',
      value: { a: 1 },
      schema: { additionalProperties: true, allOf: [{ properties: { a: { maximum: 0 } } }] },
      message: 'Invalid value: 1: must be at most 0',
    },
  ])('checks $name', ({ value, schema, message }) => {
    expect(check(value, schema).errors.map((error) => toCause(error).message)).toEqual([message]);
  });

  it('names a missing field', () => {
    expect(check(undefined, {}, ['field']).errors.map(toCause)).toEqual([
      { field: 'field', message: 'Required value', reason: 'FieldValueRequired' },
    ]);
  });

  it('names duplicates in sets and list maps', () => {
    const list: JsonSchema = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    const { errors } = check([{ name: 'a' }, { name: 'a' }], list);
    expect(errors.map((error) => formatPath(error.path))).toEqual(['field[1]']);
    expect(check(['x', 'x'], { 'x-kubernetes-list-type': 'set' }).errors).toHaveLength(1);
  });

  // Comparing each with those before it takes ten billion comparisons.
  it('looks at each item of a long set once', () => {
    const names = Array.from({ length: 150_000 }, (_, index) => `name-${index}`);
    const { errors } = check([...names, 'name-1'], { 'x-kubernetes-list-type': 'set' });
    expect(errors.map((error) => formatPath(error.path))).toEqual(['field[150000]']);
  });

  // Otherwise this ends in some hours.
  it('does not try the pattern on a text that is too long', () => {
    const { errors } = check(`${'a'.repeat(40)}!`, { maxLength: 10, pattern: '^(a+)+$' });
    expect(errors.map(({ detail }) => detail)).toEqual(['must have at most 10 characters']);
  });

  it('sets defaults at every level, also in objects that are defaults', () => {
    const schema: JsonSchema = { type: 'object', default: {}, properties: { replicas: { default: 1 } } };
    expect(check(undefined, schema).body).toEqual({ field: { replicas: 1 } });
    expect(check(undefined, schema, ['field']).errors).toEqual([]);
  });

  it('finds unknown fields and prunes them', () => {
    const { body, unknown } = check({ a: 1, b: 2 }, { type: 'object', properties: { a: {} } });
    expect(body).toEqual({ field: { a: 1 } });
    expect(unknown.map(formatPath)).toEqual(['field.b']);
  });

  it.each<{ name: string; schema: JsonSchema }>([
    { name: 'preserve-unknown-fields', schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    { name: 'additionalProperties: true', schema: { type: 'object', additionalProperties: true } },
    { name: 'a schema of additional properties', schema: { additionalProperties: { type: 'integer' } } },
    { name: 'an empty schema', schema: {} },
  ])('keeps unknown fields under $name', ({ schema }) => {
    const { body, unknown } = check({ a: 1 }, schema);
    expect(body).toEqual({ field: { a: 1 } });
    expect(unknown).toEqual([]);
  });

  it('keeps the type and metadata of an embedded object', () => {
    const schema: JsonSchema = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: {} } };
    const embedded = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { any: 1 } };
    expect(check(embedded, schema).body).toEqual({ field: embedded });
  });
});
