/** Words of OpenAPI 3.0 that 2.0 does not know. */
const DROPPED = new Set(['anyOf', 'oneOf', 'not', 'nullable']);

/** A schema in the words of OpenAPI 2.0. */
export function toSwaggerSchema(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const single = onlyReference(schema);
  if (single) return single;
  const known = Object.entries(schema).filter(([keyword]) => !DROPPED.has(keyword));
  const result = Object.fromEntries(known.map(([keyword, value]) => [keyword, convert(keyword, value)]));
  // kubectl checks types by this document, and would refuse null: without a type it takes anything.
  if (schema.nullable === true) delete result.type;
  return result;
}

/** The object with each of its values converted. */
export function mapValues(object: unknown, convertValue: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object as JsonObject).map(([key, value]) => [key, convertValue(value)]));
}

/** A reference as 2.0 spells it. */
export function toSwaggerReference(target: string): string {
  return target.replace('#/components/schemas/', '#/definitions/').replace('#/components/responses/', '#/responses/');
}

function convert(keyword: string, value: unknown): unknown {
  if (keyword === '$ref') return toSwaggerReference(String(value));
  if (keyword === 'properties') return mapValues(value, toSwaggerSchema);
  if (keyword === 'items' || keyword === 'additionalProperties') return toSwaggerSchema(value);
  return keyword === 'allOf' ? (value as unknown[]).map(toSwaggerSchema) : value;
}

/** `allOf` of one reference is how 3.0 puts words beside a reference; 2.0 has no room for them. */
function onlyReference({ allOf }: JsonObject): unknown {
  return Array.isArray(allOf) && allOf.length === 1 ? toSwaggerSchema(allOf[0]) : undefined;
}
import { isJsonObject, type JsonObject } from '@crate/api';
