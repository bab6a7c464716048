import { createHash } from 'node:crypto';
import { formatApiVersion } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import type { JsonObject } from '../apply/json.js';
import { LIST_META, METADATA_SCHEMAS, OBJECT_META, reference } from './metadata-schemas.js';
import { pathsOf } from './paths.js';
import { schemaName } from './schema-names.js';
import { toOpenApi } from './to-openapi.js';

/** The OpenAPI v3 index: where the document of each group and version is. The hash lets clients cache it for good. */
export function openApiIndex(kinds: readonly KindInfo[]): unknown {
  const paths = [...new Set(kinds.map(documentPath))].map((path) => {
    const own = kinds.filter((kind) => documentPath(kind) === path);
    const hash = createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, 32);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/** The OpenAPI v3 document of one group and version; undefined when nothing is served there. */
export function openApiDocument(kinds: readonly KindInfo[], path: string, version: string): unknown {
  const own = kinds.filter((kind) => documentPath(kind) === path);
  if (own.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths: Object.assign({}, ...own.map(pathsOf)) as JsonObject,
    components: { schemas: { ...METADATA_SCHEMAS, ...(Object.assign({}, ...own.map(schemasOf)) as JsonObject) } },
  };
}

function documentPath({ group, version }: KindInfo): string {
  return group === '' ? `api/${version}` : `apis/${formatApiVersion(group, version)}`;
}

function schemasOf(kind: KindInfo): JsonObject {
  const { group, version } = kind;
  const body = toOpenApi(kind.schema);
  const listKind = { group, version, kind: `${kind.kind}List` };
  return {
    [schemaName(kind)]: {
      ...body,
      type: 'object',
      description: kind.description,
      properties: { ...typeProperties(), metadata: reference(OBJECT_META), ...(body.properties ?? {}) },
      'x-kubernetes-group-version-kind': [{ group, version, kind: kind.kind }],
    },
    [`${schemaName(kind)}List`]: {
      type: 'object',
      description: `A list of ${kind.kind} objects.`,
      required: ['items'],
      properties: {
        ...typeProperties(),
        metadata: reference(LIST_META),
        items: { type: 'array', items: reference(schemaName(kind)) },
      },
      'x-kubernetes-group-version-kind': [listKind],
    },
  };
}

function typeProperties(): JsonObject {
  return {
    apiVersion: { type: 'string', description: 'Group and version of the schema of this object' },
    kind: { type: 'string', description: 'Kind of this object' },
  };
}
