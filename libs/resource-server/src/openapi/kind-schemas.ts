import type { JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { exampleOf } from './example.js';
import { reference, schemaName, SHARED } from './schema-names.js';
import { toOpenApi } from './to-openapi.js';

/** The schemas of a kind and of its list, by name. */
export function schemasOf(kind: KindInfo): JsonObject {
  const { group, version } = kind;
  return {
    [schemaName(kind)]: objectSchema(kind),
    [`${schemaName(kind)}List`]: {
      type: 'object',
      description: `A list of ${kind.kind} objects.`,
      required: ['items'],
      properties: {
        ...typeProperties(),
        metadata: reference(SHARED.listMeta),
        items: { type: 'array', items: reference(schemaName(kind)) },
      },
      'x-kubernetes-group-version-kind': [{ group, version, kind: `${kind.kind}List` }],
    },
  };
}

function objectSchema(kind: KindInfo): JsonObject {
  const { group, version } = kind;
  const body = toOpenApi(kind.schema);
  const example = exampleOf(kind);
  return {
    ...body,
    type: 'object',
    description: kind.description,
    properties: { ...typeProperties(), metadata: reference(SHARED.objectMeta), ...(body.properties ?? {}) },
    ...(example ? { example } : {}),
    'x-kubernetes-group-version-kind': [{ group, version, kind: kind.kind }],
  };
}

function typeProperties(): JsonObject {
  return {
    apiVersion: { type: 'string', description: 'Group and version of the schema of this object' },
    kind: { type: 'string', description: 'Kind of this object' },
  };
}
