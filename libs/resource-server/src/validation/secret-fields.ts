import { isJsonObject } from '@crate/api';
import { kindInfoOf } from '../kinds/kind-info.js';
import type { JsonSchema } from '../kinds/json-schema.js';
import type { ServedKind } from '../kinds/served-kind.js';
import type { FieldError, FieldPath } from './field-error.js';

/** The same errors, with those marked whose value may be a secret by the schema of the kind. */
export function withSecretsMarked(served: ServedKind, errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length === 0) return errors;
  const schema = served.schema ?? kindInfoOf(served.definition).schema;
  return errors.map((error) => (mayBeSecret(schema, error.path) ? { ...error, isSecret: true } : error));
}

/** Whether the value has anything in a place that the schema calls `writeOnly`. */
export function hasSecret(schema: JsonSchema, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (schema.writeOnly === true) return true;
  if (alternativesOf(schema).some((each) => hasSecret(each, value))) return true;
  if (Array.isArray(value))
    return schema.items !== undefined && value.some((item) => hasSecret(schema.items ?? {}, item));
  return (
    isJsonObject(value) && Object.entries(value).some(([key, member]) => hasSecret(memberOf(schema, key) ?? {}, member))
  );
}

/** Whether the schema says `writeOnly` of the place, of one around it, or of one below it, whose value may stand in its stead. */
function mayBeSecret(schema: JsonSchema, [step, ...rest]: FieldPath): boolean {
  if (schema.writeOnly === true) return true;
  if (alternativesOf(schema).some((each) => mayBeSecret(each, step === undefined ? [] : [step, ...rest]))) return true;
  if (step === undefined) return membersOf(schema).some((member) => mayBeSecret(member, []));
  const member = memberOf(schema, step);
  return member !== undefined && mayBeSecret(member, rest);
}

function alternativesOf({ allOf = [], anyOf = [], oneOf = [] }: JsonSchema): readonly JsonSchema[] {
  return [...allOf, ...anyOf, ...oneOf];
}

function membersOf({ properties = {}, items, additionalProperties }: JsonSchema): readonly JsonSchema[] {
  return [...Object.values(properties), items, additionalProperties].filter((each) => typeof each === 'object');
}

function memberOf(
  { properties, items, additionalProperties }: JsonSchema,
  step: string | number,
): JsonSchema | undefined {
  if (typeof step === 'number') return items;
  if (properties && Object.hasOwn(properties, step)) return properties[step];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
