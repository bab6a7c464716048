import { CLUSTER } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { namesInStructure, namesInZod } from './known-names.js';

const text = z.string();
const body = z.strictObject({
  spec: z
    .strictObject({
      pools: z.array(z.strictObject({ name: text, size: z.int() })).default([]),
      labels: z.record(z.string(), z.strictObject({ value: text })),
      either: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('a'), left: text }),
        z.strictObject({ kind: z.literal('b'), right: text }),
      ]),
      get nested() {
        return z.strictObject({ deep: text }).optional();
      },
      later: z.lazy(() => z.strictObject({ soon: text })),
      made: z.preprocess((value) => value, z.strictObject({ of: text })),
    })
    .refine(() => true),
});

describe('namesInZod', () => {
  it.each([
    { path: [], want: ['spec'] },
    { path: ['spec'], want: ['pools', 'labels', 'either', 'nested', 'later', 'made'] },
    { path: ['spec', 'pools', 3], want: ['name', 'size'] },
    { path: ['spec', 'labels', 'x'], want: ['value'] },
    { path: ['spec', 'either'], want: ['kind', 'left', 'kind', 'right'] },
    { path: ['spec', 'nested'], want: ['deep'] },
    { path: ['spec', 'later'], want: ['soon'] },
    { path: ['spec', 'labels'], want: [] },
    { path: ['spec', 'pools', 0, 'name', 'x'], want: [] },
    { path: ['nowhere', 'at', 'all'], want: [] },
  ])('at $path', ({ path, want }) => {
    expect(namesInZod(body, path)).toEqual(want);
  });

  it('finds its way in a real kind', () => {
    expect(namesInZod(CLUSTER.body, ['spec', 'nodePools', 0])).toEqual(expect.arrayContaining(['name', 'replicas']));
  });
});

describe('namesInStructure', () => {
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', additionalProperties: { type: 'object', properties: { a: {} } } },
      items: { type: 'array', items: { type: 'object', properties: { b: {} } } },
    },
  };

  it.each([
    { path: [], want: ['spec', 'items'] },
    { path: ['spec', 'any'], want: ['a'] },
    { path: ['items', 0], want: ['b'] },
    { path: ['spec'], want: [] },
    { path: ['nowhere'], want: [] },
  ])('at $path', ({ path, want }) => {
    expect(namesInStructure(schema, path)).toEqual(want);
  });
});
