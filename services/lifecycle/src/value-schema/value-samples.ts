import { isJsonObject, type JsonObject } from '@crate/api';
import type { JsonSchema } from '@crate/resource-server';

/** Parameters or values that a cluster might state, for trying a template before any cluster does. */
export interface Sample {
  readonly params: JsonObject;
  /** A value was made up that says nothing about the values to come, such as a text. */
  readonly isGuessed: boolean;
}

const MOST_SAMPLES = 64;

/**
 * Parameters to try: the fewest that may be stated, then the same with each choice of an enumeration, each bound of a
 * number and each optional parameter in turn.
 */
export function samplesOf(schema: JsonSchema): readonly Sample[] {
  const first = fewest(schema);
  const samples = [first];
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    for (const value of choices(member)) {
      samples.push({ ...first, params: { ...first.params, [name]: value } });
    }
  }
  return samples.slice(0, MOST_SAMPLES);
}

function fewest(schema: JsonSchema): Sample {
  const params: JsonObject = {};
  let isGuessed = false;
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (member.default === undefined && !(schema.required ?? []).includes(name)) continue;
    const [value, guessed] = valueOf(member);
    params[name] = value;
    isGuessed ||= guessed;
  }
  return { params, isGuessed };
}

type Guess = readonly [value: unknown, isGuessed: boolean];

function valueOf(schema: JsonSchema): Guess {
  const stated: unknown = schema.default ?? schema.enum?.[0] ?? schema.example;
  if (schema.type === 'object') return objectOf(schema, stated);
  return stated === undefined ? guess(schema) : [stated, false];
}

function objectOf(schema: JsonSchema, stated: unknown): Guess {
  const { params, isGuessed } = fewest(schema);
  return isJsonObject(stated) ? [{ ...params, ...stated }, false] : [params, isGuessed];
}

function guess(schema: JsonSchema): Guess {
  const { type, minimum, maximum, minLength = 1, minItems = 0, items = {} } = schema;
  if (type === 'integer' || type === 'number') return [minimum ?? maximum ?? 1, minimum === undefined];
  if (type === 'boolean') return [false, false];
  if (type === 'array') return [Array.from({ length: minItems }, () => valueOf(items)[0]), true];
  return ['x'.repeat(Math.max(1, minLength)), true];
}

function choices(schema: JsonSchema): readonly unknown[] {
  if (schema.enum) return schema.enum;
  if (schema.type === 'boolean') return [true, false];
  const bounds = [schema.minimum, schema.maximum].filter((bound) => bound !== undefined);
  if (bounds.length > 0) return bounds;
  const [value, isGuessed] = valueOf(schema);
  return isGuessed ? [] : [value];
}
