import { CLUSTER } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { isObject } from '../apply/json.js';
import { at } from '../fixtures/at.js';
import { findByPath } from '../table/json-path.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { kindInfoOf } from '../kinds/kind-info.js';
import { openApiDocument, openApiIndex } from './document.js';
import { toOpenApi } from './to-openapi.js';

const KINDS = [kindInfoOf(CLUSTER), kindInfoOf(CONFIG_MAP.definition)];
const PATH = 'apis/lifecycle.crate.dev/v1alpha1';

function documentOf(path: string): unknown {
  return openApiDocument(KINDS, path, 'v1');
}

describe('openApiIndex', () => {
  it('names a document per group and version, with a hash of its kinds', () => {
    const { paths } = openApiIndex(KINDS) as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toEqual([PATH, 'api/v1']);
    expect(paths[PATH]?.serverRelativeURL).toMatch(
      /^\/openapi\/v3\/apis\/lifecycle.crate.dev\/v1alpha1\?hash=[0-9a-f]{32}$/,
    );
    const changed = openApiIndex([kindInfoOf({ ...CLUSTER, description: 'other' })]) as typeof paths;
    expect(JSON.stringify(changed)).not.toContain(paths[PATH]?.serverRelativeURL.slice(-32));
  });
});

describe('openApiDocument', () => {
  it('describes a kind with its metadata', () => {
    const schema = at(documentOf(PATH), `.components.schemas['dev.crate.lifecycle.v1alpha1.Cluster']`);
    expect(schema).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'lifecycle.crate.dev', version: 'v1alpha1', kind: 'Cluster' }],
      required: ['spec'],
      properties: {
        metadata: { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
        spec: {
          properties: {
            controlPlane: { properties: { replicas: { type: 'integer', default: 3 } } },
            nodePools: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
          },
        },
      },
    });
  });

  it('offers what kubectl looks for in a patch', () => {
    const single = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/{namespace}/clusters/{name}';
    const patch = at(documentOf(PATH), `.paths['${single}'].patch`);
    expect(at(patch, '.x-kubernetes-group-version-kind.kind')).toBe('Cluster');
    expect(findByPath(patch, '.parameters[*].name')).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(at(patch, '.requestBody.content')).toHaveProperty(['application/apply-patch+yaml']);
  });

  it('has unique operation ids and no dangling references', () => {
    for (const path of [PATH, 'api/v1']) {
      const document = documentOf(path);
      const ids = collect(document, 'operationId');
      expect(new Set(ids).size).toBe(ids.length);
      for (const reference of collect(document, '$ref')) {
        expect(at(document, '.components.schemas')).toHaveProperty([reference.replace('#/components/schemas/', '')]);
      }
    }
  });

  it('knows only what is served', () => {
    expect(documentOf('apis/nope/v1')).toBeUndefined();
  });
});

describe('toOpenApi', () => {
  it.each([
    { name: 'exclusive bounds', from: { exclusiveMinimum: 0 }, to: { minimum: 0, exclusiveMinimum: true } },
    { name: 'constants', from: { const: 'x' }, to: { enum: ['x'] } },
    { name: 'null among types', from: { type: ['string', 'null'] }, to: { type: 'string', nullable: true } },
    {
      name: 'null among options',
      from: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      to: { type: 'string', nullable: true },
    },
    { name: 'closed objects', from: { type: 'object', additionalProperties: false }, to: { type: 'object' } },
    { name: 'names of properties', from: { propertyNames: { type: 'string' } }, to: {} },
    { name: "a library's own bounds", from: { minimum: -9007199254740991, maximum: 7 }, to: { maximum: 7 } },
    {
      name: 'nested schemas',
      from: { properties: { a: { items: { const: 1 } } }, additionalProperties: { const: 2 } },
      to: { properties: { a: { items: { enum: [1] } } }, additionalProperties: { enum: [2] } },
    },
  ])('translates $name', ({ from, to }) => {
    expect(toOpenApi(from)).toEqual(to);
  });
});

function collect(value: unknown, key: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => collect(item, key));
  if (!isObject(value)) return [];
  const own = typeof value[key] === 'string' ? [value[key]] : [];
  return [...own, ...Object.values(value).flatMap((member) => collect(member, key))];
}
