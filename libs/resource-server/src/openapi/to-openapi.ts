/** Keywords of JSON schema 2020-12 that OpenAPI 3.0 does not know. */
const DROPPED = new Set(['$schema', '$id', '$defs', '$comment', 'propertyNames', 'const', 'examples', 'prefixItems']);

/** Keywords that hold one schema, or a list or map of them. */
const NESTED = new Set(['items', 'additionalProperties', 'not']);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf']);

/** A JSON schema (2020-12) in the words of OpenAPI 3.0, which kubectl parses strictly. */
export function toOpenApi(schema: unknown): JsonObject {
  if (!isJsonObject(schema)) return {};
  const result: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!DROPPED.has(keyword)) Object.assign(result, convert(keyword, value));
  }
  if ('const' in schema) result.enum = [schema.const];
  return withNullable(result);
}

function convert(keyword: string, value: unknown): JsonObject {
  if (LISTS.has(keyword)) return { [keyword]: (value as unknown[]).map(toOpenApi) };
  if (NESTED.has(keyword)) return convertNested(keyword, value);
  if (keyword === 'properties') {
    return { properties: Object.fromEntries(Object.entries(value as JsonObject).map(([k, v]) => [k, toOpenApi(v)])) };
  }
  if (keyword === 'minimum' || keyword === 'maximum') return isSafeLimit(value) ? {} : { [keyword]: value };
  if (keyword === 'exclusiveMinimum' && typeof value === 'number') return { minimum: value, exclusiveMinimum: true };
  if (keyword === 'exclusiveMaximum' && typeof value === 'number') return { maximum: value, exclusiveMaximum: true };
  return { [keyword]: value };
}

function convertNested(keyword: string, value: unknown): JsonObject {
  if (keyword !== 'additionalProperties' || isJsonObject(value)) return { [keyword]: toOpenApi(value) };
  // Closed objects are enforced by the server; Kubernetes documents do not say it, and neither do ours.
  return value === true ? { 'x-kubernetes-preserve-unknown-fields': true } : {};
}

/** The bounds that a schema library puts on every integer say nothing. */
function isSafeLimit(value: unknown): boolean {
  return Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
}

function withNullable(schema: JsonObject): JsonObject {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    const { type: _types, ...rest } = schema;
    const single = types.length === 1 ? { type: types[0] as unknown } : {};
    return { ...rest, ...single, ...(types.length < schema.type.length ? { nullable: true } : {}) };
  }
  const options = schema.anyOf;
  if (!Array.isArray(options) || !options.some(isNull)) return schema;
  const { anyOf: _options, ...rest } = schema;
  const left = options.filter((option) => !isNull(option)) as JsonObject[];
  return { ...rest, ...(left.length === 1 ? left[0] : { anyOf: left }), nullable: true };
}

function isNull(schema: unknown): boolean {
  return isJsonObject(schema) && schema.type === 'null';
}
import { isJsonObject, type JsonObject } from '@crate/api';
