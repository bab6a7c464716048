import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from './json-schema.js';
import { unknownFields } from './unknown-fields.js';

const text = { type: 'string' };
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: text } } },
    spec: { $ref: '#/components/schemas/Spec' },
    values: { 'x-kubernetes-preserve-unknown-fields': true },
    status: { type: 'object' },
  },
  components: {
    schemas: {
      Spec: {
        type: 'object',
        properties: {
          region: text,
          nodePools: { type: 'array', items: { type: 'object', properties: { name: text, replicas: text } } },
          template: { type: 'object', properties: { a: text }, 'x-kubernetes-embedded-resource': true },
          rules: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
          loose: { type: 'object', properties: { a: text }, 'x-kubernetes-preserve-unknown-fields': true },
          either: {
            oneOf: [
              { type: 'object', properties: { a: text } },
              { type: 'object', properties: { b: text } },
            ],
          },
          anything: { anyOf: [{ type: 'string' }, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }] },
          needs: {
            type: 'object',
            properties: { a: text, b: text },
            anyOf: [{ required: ['a'] }, { required: ['b'] }],
          },
        },
      },
    },
  },
};

const found = (content: unknown): readonly string[] =>
  unknownFields(SCHEMA, content).map(({ path, nearest = '' }) => `${path.join('.')}?${nearest}`);

describe('unknownFields', () => {
  it.each([
    { reason: 'a slip', spec: { regoin: 'x' }, want: ['spec.regoin?region'] },
    { reason: 'another case', spec: { nodepools: [] }, want: ['spec.nodepools?nodePools'] },
    { reason: 'nothing near', spec: { colour: 'red' }, want: ['spec.colour?'] },
    { reason: 'what is there already', spec: { region: 'x', regions: 'y' }, want: ['spec.regions?'] },
    { reason: 'in items', spec: { nodePools: [{}, { replica: 1 }] }, want: ['spec.nodePools.1.replica?replicas'] },
    { reason: 'below any name', spec: { rules: { x: { c: 1 } } }, want: ['spec.rules.x.c?'] },
    { reason: 'in all of the alternatives', spec: { either: { c: 1 } }, want: ['spec.either.c?'] },
    { reason: 'beside alternatives that only require', spec: { needs: { c: 1 } }, want: ['spec.needs.c?'] },
  ])('are found: $reason', ({ spec, want }) => {
    expect(found({ spec })).toEqual(want);
  });

  it.each([
    { reason: 'labels', content: { metadata: { labels: { 'a.b/c': 'x' } } } },
    { reason: 'kept as they are', content: { values: { a: { b: 1 } } } },
    { reason: 'kept beside what is known', content: { spec: { loose: { b: 1 } } } },
    { reason: 'in one of the alternatives', content: { spec: { either: { b: 1 } } } },
    { reason: 'in an alternative that may be anything', content: { spec: { anything: { b: 1 } } } },
    { reason: 'of an object of its own', content: { spec: { template: { kind: 'A', metadata: { c: 1 } } } } },
    { reason: 'where the schema says nothing of fields', content: { status: { b: { c: 1 } } } },
    { reason: 'of what is no map', content: { spec: { region: ['x'], nodePools: null } } },
    { reason: 'of no document', content: null },
  ])('are not made up: $reason', ({ content }) => {
    expect(found(content)).toEqual([]);
  });
});
