import { CLUSTER, LOGS_SUBRESOURCE, PROJECT, SCALE_SUBRESOURCE, isJsonObject, type JsonObject } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { at } from '../fixtures/at.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { kindInfoOf } from '../kinds/kind-info.js';
import { wholeDocument } from './document.js';
import { toSwagger } from './swagger.js';
import { swaggerMessage } from './swagger-message.js';
import { DOCUMENT_MESSAGE } from './swagger-messages.js';
import { toSwaggerSchema } from './swagger-schema.js';

const KINDS = [
  kindInfoOf({ ...CLUSTER, subresources: [...CLUSTER.subresources, LOGS_SUBRESOURCE, SCALE_SUBRESOURCE] }),
  kindInfoOf(PROJECT),
  kindInfoOf(CONFIG_MAP.definition),
];
const DOCUMENT = wholeDocument({ kinds: KINDS }, { title: 'Test', version: 'v1' });
const SWAGGER = toSwagger(DOCUMENT);
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/{namespace}/clusters';

describe('toSwagger', () => {
  it('gives a valid document', async () => {
    expect(await new Validator().validate(structuredClone(SWAGGER))).toMatchObject({ valid: true });
  });

  it('keeps what old clients look for', () => {
    const patch = at(SWAGGER, `.paths['${CLUSTERS}/{name}'].patch`) as JsonObject;
    expect(patch).toMatchObject({
      'x-kubernetes-group-version-kind': { kind: 'Cluster' },
      consumes: ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'],
    });
    expect(patch.parameters).toContainEqual(expect.objectContaining({ name: 'fieldValidation', type: 'string' }));
    expect(at(SWAGGER, `.definitions['dev.crate.lifecycle.v1alpha1.Cluster']`)).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'lifecycle.crate.dev', version: 'v1alpha1', kind: 'Cluster' }],
      properties: { metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' } },
    });
  });

  it('offers just what version 3 does, which is what requests are drawn from', () => {
    const [former, newer] = [operationsOf(SWAGGER), operationsOf(DOCUMENT)];
    expect(newer.length).toBeGreaterThan(40);
    expect(former).toEqual(newer);
  });

  it('leaves no word of version 3 behind', () => {
    expect(JSON.stringify(SWAGGER)).not.toMatch(/#\/components|"nullable"|"anyOf"|"requestBody"|"content"/);
  });

  it.each([
    { name: 'a nullable type is any', from: { type: 'string', nullable: true }, to: {} },
    { name: 'alternatives are any', from: { anyOf: [{ type: 'string' }], description: 'x' }, to: { description: 'x' } },
    {
      name: 'words beside a reference go',
      from: { allOf: [{ $ref: '#/components/schemas/a' }], default: {} },
      to: { $ref: '#/definitions/a' },
    },
  ])('$name', ({ from, to }) => {
    expect(toSwaggerSchema(from)).toEqual(to);
  });
});

describe('swaggerMessage', () => {
  const decoded = DOCUMENT_MESSAGE.toObject(DOCUMENT_MESSAGE.decode(swaggerMessage(SWAGGER)));

  it('holds every path and definition', () => {
    expect(names(at(decoded, '.paths.path'))).toEqual(Object.keys(SWAGGER.paths as JsonObject));
    expect(names(at(decoded, '.definitions.additionalProperties'))).toEqual(
      Object.keys(SWAGGER.definitions as JsonObject),
    );
  });

  it('says of a kind what the document says', () => {
    const cluster = member(at(decoded, '.definitions.additionalProperties'), 'dev.crate.lifecycle.v1alpha1.Cluster');
    const spec = member(at(cluster, '.properties.additionalProperties'), 'spec');
    const region = member(at(spec, '.properties.additionalProperties'), 'region');
    expect(region).toMatchObject({
      type: { value: ['string'] },
      description: expect.stringMatching(/^Region of the provider/),
    });
    expect(member(at(cluster, '.vendorExtension'), 'x-kubernetes-group-version-kind')).toEqual({
      yaml: '[{"group":"lifecycle.crate.dev","version":"v1alpha1","kind":"Cluster"}]\n',
    });
  });

  it('tells path parameters from query parameters and bodies', () => {
    const path = member(at(decoded, '.paths.path'), CLUSTERS);
    expect(at(path, '.parameters')).toEqual([
      { parameter: { nonBodyParameter: { pathParameterSubSchema: expect.objectContaining({ name: 'namespace' }) } } },
    ]);
    const own = JSON.stringify(at(path, '.post.parameters'));
    expect(own).toContain('"queryParameterSubSchema"');
    expect(own).toContain('"bodyParameter"');
  });
});

function names(pairs: unknown): string[] {
  return (pairs as { name: string }[]).map(({ name }) => name);
}

function member(pairs: unknown, name: string): unknown {
  const found = (pairs as { name: string; value: unknown }[]).find((pair) => pair.name === name);
  expect(isJsonObject(found)).toBe(true);
  return found?.value;
}

/** Each operation with its query parameters, the codes it answers, and whether it takes a body. */
function operationsOf({ paths }: JsonObject): readonly unknown[] {
  return Object.entries(paths as Record<string, JsonObject>).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (!isJsonObject(operation)) return [];
      const { operationId, requestBody, responses } = operation;
      const parameters = (operation.parameters ?? []) as readonly JsonObject[];
      const queries = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
      const takesBody = requestBody !== undefined || parameters.some((each) => each.in === 'body');
      return [{ path, method, operationId, queries, takesBody, codes: Object.keys(responses as JsonObject) }];
    }),
  );
}
