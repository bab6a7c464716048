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
      delete: { operationId: 'empty', responses: {} },
      post: {
        operationId: 'create',
        parameters: [{ name: 'dryRun', in: 'query', schema: { enum: ['All'] } }],
        requestBody: { content: { 'application/json': { schema: SPEC } } },
        responses: {},
      },
    },
    '/apis/x.dev/v1/namespaces/{namespace}/things/{name}': { put: { operationId: 'replace', responses: {} } },
    '/terraform/{project}/{infrastructure}': {
      'x-additionalOperations': { LOCK: { operationId: 'lock', responses: {} } },
    },
  },
  components: { schemas: {}, responses: {} },
});
const THINGS = '/apis/x.dev/v1/namespaces/{namespace}/things';
const tenant = (project: string) => ({
  ...{ project, cluster: `of-${project}`, secrets: ['s'], credential: 'c' },
  names: {
    [THINGS]: [`thing-of-${project}`],
    '/apis/x.dev/v1/namespaces/{namespace}/infrastructures': [`infra-of-${project}`],
  },
});
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
      const project = kind === 'foreign' ? 'b' : 'a';
      expect(target).toMatch(new RegExp(`/namespaces/${project}/things|^/terraform/${project}/`));
    }
  });

  it('asks for what there is, by the names that it has', () => {
    const generator = new RequestArbitrary(DOCUMENT, WORLD);
    const drawn = Array.from({ length: 400 }, (_, index) => requestAt(generator, 1, index));
    const targets = drawn.filter(({ kind }) => kind === 'valid').map(({ method, target }) => `${method} ${target}`);
    expect(targets).toContain('PUT /apis/x.dev/v1/namespaces/a/things/thing-of-a?dryRun=All');
    expect(targets).toContain('LOCK /terraform/a/infra-of-a');
  });

  it('leaves what there is to those who come later', () => {
    const generator = new RequestArbitrary(DOCUMENT, WORLD);
    const drawn = Array.from({ length: 400 }, (_, index) => requestAt(generator, 1, index));
    const changing = drawn.filter(({ method, target }) => method === 'DELETE' || target.includes('/thing-of-'));
    const writing = changing.filter(({ method }) => ['PUT', 'POST', 'PATCH', 'DELETE'].includes(method));
    expect(writing.length).toBeGreaterThan(20);
    for (const { kind, target } of writing) if (kind !== 'hostile') expect(target).toContain('dryRun=All');
  });

  it('makes requests that meet an operation, whatever chance would make of it', () => {
    const generator = new RequestArbitrary(DOCUMENT, WORLD);
    for (const operation of DOCUMENT.operations) {
      const [request] = fc.sample(generator.meeting(operation), { seed: 1, numRuns: 1 });
      expect(request).toMatchObject({ kind: 'valid', operation, method: operation.method });
    }
  });
});
