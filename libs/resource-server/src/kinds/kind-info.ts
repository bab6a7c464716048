import type { KindDefinition } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { z } from 'zod';
import type { JsonSchema } from './json-schema.js';

const made = new WeakMap<KindDefinition, JsonSchema>();

/**
 * What a kind's owner announces: the definition as plain JSON, its body as the JSON schema clients may send. The schema is made once for each
 * definition, which takes milliseconds.
 */
export function kindInfoOf(definition: KindDefinition, schema?: JsonSchema): KindInfo {
  const { body: _body, objectType: _objectType, ...rest } = definition;
  return { ...rest, schema: schema ?? schemaOf(definition) };
}

function schemaOf(definition: KindDefinition): JsonSchema {
  const schema = made.get(definition) ?? mayLeaveOut(bodySchema(definition.body), definition.filledIn);
  made.set(definition, schema);
  return schema;
}

/** The schema of what clients send: fields that something fills in are not required of them. */
function mayLeaveOut(schema: JsonSchema, filledIn: readonly string[] = []): JsonSchema {
  const { spec } = schema.properties ?? {};
  if (!spec || filledIn.length === 0) return schema;
  const { required = [], ...rest } = spec;
  const left = required.filter((field) => !filledIn.includes(field));
  const loosened = left.length === 0 ? rest : { ...rest, required: left };
  return { ...schema, properties: { ...schema.properties, spec: loosened } };
}

function bodySchema(body: z.ZodType): JsonSchema {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any', override: markLoose });
  delete schema.$schema;
  return schema as JsonSchema;
}

const KEEPS_UNKNOWN = 'x-kubernetes-preserve-unknown-fields';

/**
 * A loose object keeps what it does not know; Kubernetes says that with an extension of its own. So it does of a value
 * that may be anything: `kubectl explain` takes a schema that says nothing for none.
 */
function markLoose({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (Object.keys(jsonSchema).length === 0) jsonSchema[KEEPS_UNKNOWN] = true;
  const rest = jsonSchema.additionalProperties;
  const isAnything = typeof rest === 'object' && Object.keys(rest).every((key) => key === KEEPS_UNKNOWN);
  if (!isAnything || jsonSchema.propertyNames !== undefined) return;
  delete jsonSchema.additionalProperties;
  if (Object.keys(jsonSchema.properties ?? {}).length === 0) delete jsonSchema.properties;
  jsonSchema[KEEPS_UNKNOWN] = true;
}
