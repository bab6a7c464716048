import { nearestName } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { KindInfo } from '@crate/resource-client';
import type { FieldRequirement } from '@crate/resource-store';
import type { JsonSchema } from '../kinds/json-schema.js';
import { METADATA_SCHEMAS } from '../openapi/metadata-schemas.js';
import { SHARED } from '../openapi/schema-names.js';
import { namesInStructure } from '../validation/known-names.js';

const TEXT: JsonSchema = { type: 'string' };
const SINGLE_VALUES: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** What objects of all kinds have. */
const OBJECT: Readonly<Record<string, JsonSchema>> = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: METADATA_SCHEMAS[SHARED.objectMeta] as JsonSchema,
};

/** Throws BadRequest for fields that no object of the kind can have: with `!=`, a condition on one would hold for all of them. */
export function refuseUnknownFields(requirements: readonly FieldRequirement[], kind: KindInfo): void {
  for (const { path } of requirements) {
    const field = path.join('.');
    if (!kind.selectableFields.includes(field) && !isField(kind, path)) throw unknownField(kind, path);
  }
}

function isField(kind: KindInfo, path: readonly string[]): boolean {
  const isCommon = Object.hasOwn(OBJECT, path[0] ?? '');
  return leadsToValue(isCommon ? { properties: OBJECT } : kind.schema, path);
}

/** Whether there can be a single value at the path. */
function leadsToValue(schema: JsonSchema, path: readonly string[]): boolean {
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  if (isFreeForm(schema) || [...anyOf, ...oneOf, ...allOf].some((each) => leadsToValue(each, path))) return true;
  const [step, ...rest] = path;
  if (step === undefined) return isSingleValue(schema);
  const { properties = {}, additionalProperties } = schema;
  const member = Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
  return typeof member === 'object' && leadsToValue(member, rest);
}

/** Whether anything may be below, or the schema does not say. */
function isFreeForm(schema: JsonSchema): boolean {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  return isOpen || '$ref' in schema || Object.keys(schema).length === 0;
}

function isSingleValue(schema: JsonSchema): boolean {
  const isEither = schema['x-kubernetes-int-or-string'] === true || 'enum' in schema || 'const' in schema;
  return isEither || [schema.type].flat().some((type) => SINGLE_VALUES.includes(type));
}

function unknownField(kind: KindInfo, path: readonly string[]): Error {
  const meant = nearestField(kind, path);
  const offered = ['metadata.name', 'metadata.namespace', ...kind.selectableFields].join(', ');
  const remedy =
    meant === undefined ? `; select by a field with a single value, such as ${offered}` : ` (did you mean "${meant}"?)`;
  return badRequest(`field label not supported: ${path.join('.')}${remedy}`);
}

/** The field that one step of the path misses by a slip. */
function nearestField(kind: KindInfo, path: readonly string[]): string | undefined {
  const schema: JsonSchema = { ...kind.schema, properties: { ...(kind.schema as JsonSchema).properties, ...OBJECT } };
  const candidates = path.map((step, index) => {
    const nearest = nearestName(step, namesInStructure(schema, path.slice(0, index)));
    return nearest === undefined ? path : path.with(index, nearest);
  });
  return candidates.find((each) => isField(kind, each))?.join('.');
}
