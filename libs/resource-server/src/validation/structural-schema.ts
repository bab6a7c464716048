import { isJsonObject, type JsonObject } from '@crate/api';
import type { JsonSchema } from '../kinds/json-schema.js';
import type { SchemaCheck } from './body.js';
import type { FieldError, FieldPath } from './field-error.js';
import { checkValue } from './structural-value.js';

interface Walk {
  readonly errors: FieldError[];
  readonly unknown: FieldPath[];
}

/**
 * Prunes, defaults and validates by a structural schema, as the API server does for custom resources.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export function checkStructure(document: JsonObject, schema: JsonSchema): SchemaCheck {
  const walk: Walk = { errors: [], unknown: [] };
  const body = visit(document, schema, [], walk) as JsonObject;
  return { body, ...walk };
}

function visit(value: unknown, schema: JsonSchema, path: FieldPath, walk: Walk): unknown {
  walk.errors.push(...checkValue(value, schema, path));
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item, index) => visit(item, items, [...path, index], walk)) : value;
  }
  return isJsonObject(value) ? visitObject(value, schema, path, walk) : value;
}

function visitObject(value: JsonObject, schema: JsonSchema, path: FieldPath, walk: Walk): JsonObject {
  const defaulted = { ...defaultsOf(schema, value), ...value };
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(defaulted)) {
    const below = memberSchema(schema, name, path);
    if (below === undefined) walk.unknown.push([...path, name]);
    else kept[name] = visit(member, below, [...path, name], walk);
  }
  return kept;
}

function defaultsOf(schema: JsonSchema, value: JsonObject): JsonObject {
  const missing = Object.entries(schema.properties ?? {}).filter(
    ([name, member]) => member.default !== undefined && value[name] === undefined,
  );
  return Object.fromEntries(missing.map(([name, member]) => [name, structuredClone(member.default)]));
}

/** Undefined when the schema has no place for the field. */
function memberSchema(schema: JsonSchema, name: string, path: FieldPath): JsonSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  if (typeof additionalProperties === 'object') return additionalProperties;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (isEmbedded && ['apiVersion', 'kind', 'metadata'].includes(name)) return {};
  const keeps = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  // A schema that says nothing about an object's fields (none below the root) keeps them all.
  const isSilent = properties === undefined && additionalProperties === undefined && path.length > 0;
  return keeps || (isSilent && schema.type === undefined) ? {} : undefined;
}
