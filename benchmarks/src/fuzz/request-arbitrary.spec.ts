import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { readDocument } from './api-document.js';
import { requestAt } from './fuzz-run.js';
import { nearlyValid } from './nearly-valid.js';
import { RequestArbitrary } from './request-arbitrary.js';
import { SchemaArbitrary } from './schema-arbitrary.js';
import type { World } from './world.js';

const SPEC = {
  type: 'object',
  required: ['name', 'size'],
  properties: {
    name: { type: 'string', pattern: '^[a-z]{1,5}$' },
    size: { type: 'integer', minimum: 3, maximum: 9 },
    tags: { type: 'array', minItems: 1, items: { enum: ['x', 'y'] } },
    more: { type: 'object', additionalProperties: { type: 'boolean' } },
  },
};
const DOCUMENT = readDocument({
  paths: {
    '/apis/x.dev/v1/namespaces/{namespace}/things': {
      post: {
        operationId: 'create',
        parameters: [{ name: 'dryRun', in: 'query', schema: { enum: ['All'] } }],
        requestBody: { content: { 'application/json': { schema: SPEC } } },
        responses: {},
      },
    },
  },
  components: { schemas: {}, responses: {} },
});
const tenant = (project: string) => ({ project, cluster: `of-${project}`, secret: 's', credential: 'c' });
const WORLD: World = {
  tenants: [tenant('a'), tenant('b')],
  callers: [{ name: 'admin of a', weight: 1, token: 'token', project: 'a' }],
};

describe('SchemaArbitrary', () => {
  it('gives what the schema allows', () => {
    const validate = new Ajv().compile(SPEC);
    fc.assert(fc.property(new SchemaArbitrary({}).of(SPEC), (value) => validate(structuredClone(value))));
  });

  it('ends where schemas contain themselves', () => {
    const tree = {
      type: 'object',
      properties: { below: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    };
    expect(fc.sample(new SchemaArbitrary({ Tree: tree }).of(tree), { numRuns: 50, seed: 1 })).toHaveLength(50);
  });
});

describe('nearlyValid', () => {
  it('changes something, and not the original', () => {
    const original = { name: 'a', list: [{ size: 1 }] };
    const changed = fc.sample(nearlyValid(fc.constant(original), fc.constant('odd')), { numRuns: 100, seed: 1 });
    expect(original).toEqual({ name: 'a', list: [{ size: 1 }] });
    expect(changed.filter((value) => JSON.stringify(value) !== JSON.stringify(original)).length).toBeGreaterThan(80);
  });
});

describe('requestAt', () => {
  it('gives the same request for the same seed and number, and others for others', () => {
    const [one, other] = [new RequestArbitrary(DOCUMENT, WORLD), new RequestArbitrary(DOCUMENT, WORLD)];
    const drawn = Array.from({ length: 50 }, (_, index) => requestAt(one, 7, index));
    expect(Array.from({ length: 50 }, (_, index) => requestAt(other, 7, index))).toEqual(drawn);
    expect(new Set(drawn.map((request) => JSON.stringify(request))).size).toBeGreaterThan(25);
    expect(requestAt(one, 8, 0)).not.toEqual(drawn[0]);
  });

  it('sends foreign requests to the other Project, and all others to the own one', () => {
    const generator = new RequestArbitrary(DOCUMENT, WORLD);
    for (let index = 0; index < 200; index++) {
      const { kind, target } = requestAt(generator, 1, index);
      if (kind === 'hostile') continue;
      expect(target).toContain(`/namespaces/${kind === 'foreign' ? 'b' : 'a'}/things`);
    }
  });
});
