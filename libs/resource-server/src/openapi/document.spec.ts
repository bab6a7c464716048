import { CLUSTER, LOGS_SUBRESOURCE, SCALE_SUBRESOURCE, isJsonObject, type JsonObject } from '@crate/api';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { KindInfo } from '@crate/resource-client';
import { describe, expect, it } from '@jest/globals';
import { at } from '../fixtures/at.js';
import { findByPath } from '../table/json-path.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { kindInfoOf } from '../kinds/kind-info.js';
import { openApiDocument, wholeDocument } from './document.js';
import { OpenApiDocuments } from './open-api-documents.js';
import { toOpenApi } from './to-openapi.js';

const KINDS = [kindInfoOf(CLUSTER), kindInfoOf(CONFIG_MAP.definition)];
const INFO = { title: 'Test', version: 'v1' };
const PATH = 'apis/lifecycle.crate.dev/v1alpha1';

/** Documents that every server has. */
const OWN = ['apis/authentication.k8s.io/v1', 'apis/authorization.k8s.io/v1', 'version', 'apis'];

function indexOf(
  documents: OpenApiDocuments,
  kinds: readonly KindInfo[],
): Record<string, { serverRelativeURL: string }> {
  const index = JSON.parse(documents.index(kinds).body.toString()) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  return index.paths;
}

function pathsOf(kind: KindInfo): Record<string, JsonObject> {
  return openApiDocument({ kinds: [kind] }, PATH, INFO)?.paths ?? {};
}

function documentOf(path: string): unknown {
  return openApiDocument({ kinds: KINDS }, path, INFO);
}

describe('OpenApiDocuments', () => {
  it('names a document per group and version, with a hash of its content', () => {
    const documents = new OpenApiDocuments(INFO);
    const before = indexOf(documents, KINDS);
    expect(Object.keys(before)).toEqual([PATH, 'api/v1', ...OWN]);
    expect(before[PATH]?.serverRelativeURL).toMatch(
      /^\/openapi\/v3\/apis\/lifecycle.crate.dev\/v1alpha1\?hash=[0-9A-F]{32}$/,
    );
    const after = indexOf(documents, [kindInfoOf({ ...CLUSTER, description: 'other' }), ...KINDS.slice(1)]);
    expect(after[PATH]).not.toEqual(before[PATH]);
    expect(after['api/v1']).toEqual(before['api/v1']);
  });

  it('describes what the server offers beside kinds, too', () => {
    const get = { operationId: 'readThing', responses: { 200: { description: 'OK' } } };
    const thing = { path: 'thing', tags: [{ name: 'thing' }], paths: { '/thing/{name}': { get } } };
    const documents = new OpenApiDocuments(INFO, [thing]);
    expect(Object.keys(indexOf(documents, KINDS))).toContain('thing');
    for (const rendered of [documents.version3(KINDS, 'thing'), documents.whole(KINDS)])
      expect(at(JSON.parse(rendered!.body.toString()), `.paths['/thing/{name}'].get`)).toEqual(get);
    expect(documents.version2(KINDS, 'json').body.toString()).toContain('readThing');
  });

  it('makes a document once for as long as the kinds are the same', () => {
    const documents = new OpenApiDocuments(INFO);
    const first = documents.version3(KINDS, PATH);
    expect(documents.version3([...KINDS], PATH)).toBe(first);
    expect(documents.version3(KINDS.slice(0, 1), PATH)).not.toBe(first);
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
    expect(findByPath(patch, '.parameters[*].name')).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
      'pretty',
    ]);
    expect(at(patch, '.requestBody.content')).toHaveProperty(['application/apply-patch+yaml']);
  });

  it('has unique operation ids and no dangling references', () => {
    for (const path of [PATH, 'api/v1']) {
      const document = documentOf(path);
      const ids = collect(document, 'operationId');
      expect(new Set(ids).size).toBe(ids.length);
      for (const reference of collect(document, '$ref')) {
        const [, section, name] = /^#\/components\/(\w+)\/(.+)$/.exec(reference) ?? [];
        expect(at(document, `.components.${section}`)).toHaveProperty([name ?? '']);
      }
    }
  });

  it('is valid, and so is the whole', async () => {
    for (const path of [PATH, 'api/v1', ...OWN]) {
      expect(await new Validator().validate(structuredClone(documentOf(path)) as JsonObject)).toMatchObject({
        valid: true,
      });
    }
    const whole = structuredClone(wholeDocument({ kinds: KINDS }, INFO));
    expect(await new Validator().validate(whole)).toMatchObject({ valid: true });
  });

  it('offers the verbs that a kind offers, and nothing else', () => {
    const readOnly = kindInfoOf({ ...CLUSTER, verbs: ['get', 'list'], hasStatus: false, subresources: [] });
    const paths = pathsOf(readOnly);
    const offered = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== 'parameters')
        .map((method) => `${method} ${path.replace(`/${PATH}`, '')}`),
    );
    expect(offered).toEqual([
      'get /clusters',
      'get /namespaces/{namespace}/clusters',
      'get /namespaces/{namespace}/clusters/{name}',
    ]);
  });

  it('offers no watch of a kind that has none, and says what one is answered', () => {
    const get = (verbs: KindInfo['verbs'] & object): JsonObject =>
      at(pathsOf(kindInfoOf({ ...CLUSTER, verbs })), `['/${PATH}/clusters'].get`) as JsonObject;
    const [listed, watched] = [get(['get', 'list']), get(['get', 'list', 'watch'])];
    expect(findByPath(listed, '.parameters[*].name')).not.toContain('watch');
    expect(findByPath(watched, '.parameters[*].name')).toContain('watch');
    expect([at(listed, '.responses.405') !== undefined, at(listed, '.summary')]).toEqual([
      true,
      'List clusters of all namespaces',
    ]);
    expect(JSON.stringify(at(listed, '.responses.200'))).not.toContain('stream=watch');
  });

  it('offers a watch of one object where there are watches', () => {
    const read = (verbs: KindInfo['verbs'] & object, part = ''): [boolean, boolean, boolean] => {
      const path = `/${PATH}/namespaces/{namespace}/clusters/{name}${part}`;
      const get = at(pathsOf(kindInfoOf({ ...CLUSTER, verbs })), `['${path}'].get`);
      const content = at(get, '.responses.200.content') as JsonObject;
      const names = findByPath(get, '.parameters[*].name');
      return [
        names.includes('watch'),
        'application/json;stream=watch' in content,
        at(get, '.responses.422') !== undefined,
      ];
    };
    expect(read(['get', 'watch'])).toEqual([true, true, true]);
    expect(read(['get', 'list'])).toEqual([false, false, false]);
    expect(read(['get', 'watch'], '/status')).toEqual([false, false, false]);
  });

  it('describes subresources by what they answer', () => {
    const kind = kindInfoOf({
      ...CLUSTER,
      subresources: [...CLUSTER.subresources, LOGS_SUBRESOURCE, SCALE_SUBRESOURCE],
    });
    const paths = pathsOf(kind);
    const single = `/${PATH}/namespaces/{namespace}/clusters/{name}`;
    const contentOf = (name: string): unknown => at(paths[`${single}/${name}`], '.get.responses.200.content');
    // A document, which is sent as YAML to all but those who take nothing but JSON.
    const kubeconfig = { schema: { type: 'object', properties: { kind: { enum: ['Config'] } } } };
    expect(contentOf('kubeconfig')).toMatchObject({ 'application/yaml': kubeconfig, 'application/json': kubeconfig });
    expect(contentOf('logs')).toEqual({ 'text/plain': { schema: { type: 'string' } } });
    expect(Object.keys(contentOf('plan') as object)).toEqual(['application/json', 'application/yaml', 'text/plain']);
    expect(at(paths[`${single}/plan`], '.get.parameters[0]')).toMatchObject({
      name: 'format',
      schema: { enum: ['json', 'text'] },
    });
    expect(contentOf('scale')).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/io.k8s.api.autoscaling.v1.Scale' } },
    });
    expect(Object.keys(paths[`${single}/scale`] ?? {})).toEqual(['parameters', 'get', 'patch', 'put']);
    expect(Object.keys(at(paths[`${single}/scale`], '.patch.requestBody.content') as object)).toEqual([
      'application/merge-patch+json',
      'application/json-patch+json',
    ]);
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
  if (!isJsonObject(value)) return [];
  const own = typeof value[key] === 'string' ? [value[key]] : [];
  return [...own, ...Object.values(value).flatMap((member) => collect(member, key))];
}
