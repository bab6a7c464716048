import { isJsonObject, type JsonObject } from '@crate/api';
import { z } from 'zod';
import type { FieldError, FieldPath, JsonSchema } from '@crate/resource-server';
import { checkInTime } from './timed-check.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

const count = z.int().min(0).optional();

/** A structural schema as CustomResourceDefinitions have it, less what values that people state have no use for. */
const structural: z.ZodType<JsonSchema> = z.lazy(() =>
  z
    .strictObject({
      type: z.enum(TYPES),
      description: z.string().optional(),
      title: z.string().optional(),
      default: z.unknown().optional(),
      example: z.unknown().optional(),
      enum: z.array(z.unknown()).min(1).optional(),
      format: z.string().optional(),
      pattern: z.string().refine(isPattern, 'must be a regular expression').optional(),
      minLength: count,
      maxLength: count,
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      exclusiveMinimum: z.boolean().optional(),
      exclusiveMaximum: z.boolean().optional(),
      multipleOf: z.number().positive().optional(),
      minItems: count,
      maxItems: count,
      items: structural.optional(),
      minProperties: count,
      maxProperties: count,
      properties: z
        .record(z.string().regex(NAME, `must match ${NAME.source}, to be used in expressions`), structural)
        .optional(),
      additionalProperties: z.union([z.boolean(), structural]).optional(),
      required: z.array(z.string()).optional(),
      'x-kubernetes-list-type': z.enum(['atomic', 'set', 'map']).optional(),
      'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
      'x-kubernetes-preserve-unknown-fields': z.literal(true).optional(),
    })
    .superRefine((schema, context) => agreesWithItself(schema as JsonSchema, context)),
) as z.ZodType<JsonSchema>;

/** Schema of classes without parameters. */
export const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {} };

/** What is wrong with a schema of parameters or values; paths begin at the schema itself. */
export function schemaIssues(schema: unknown): readonly z.core.$ZodIssue[] {
  const parsed = structural.safeParse(schema);
  if (!parsed.success) return parsed.error.issues;
  if (parsed.data.type === 'object') return [];
  return [{ code: 'custom', path: ['type'], message: 'must be "object" at the top', input: parsed.data.type }];
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

function agreesWithItself(schema: JsonSchema, context: z.RefinementCtx): void {
  for (const [path, message] of [...contradictions(schema), ...misfits(schema)]) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
}

type Objection = readonly [path: readonly string[], message: string];

const RANGES = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function contradictions(schema: JsonSchema): readonly Objection[] {
  const unknown = (schema.required ?? []).filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
  const crossed = RANGES.filter(([low, high]) => (schema[low] ?? -Infinity) > (schema[high] ?? Infinity));
  return [
    ...(schema.type === 'array' && !schema.items ? [[['items'], 'must say what the items are'] as const] : []),
    ...unknown.map((name) => [['required'], `must name properties, "${name}" is none`] as const),
    ...crossed.map(([low, high]) => [[low], `must not be above ${high}`] as const),
  ];
}

/** A default and choices that no cluster could state. */
function misfits(schema: JsonSchema): readonly Objection[] {
  const { enum: choices = [], default: byDefault, ...rest } = schema;
  const ofDefault = byDefault === undefined ? [] : valueErrors(schema, byDefault);
  const wrong = choices.flatMap((value, index) => (valueErrors(rest, value).length > 0 ? [String(index)] : []));
  return [
    ...ofDefault.map(({ detail }) => [['default'], `must fit the schema: ${detail}`] as const),
    ...wrong.map((index) => [['enum', index], `must be of type ${String(schema.type)}`] as const),
  ];
}

/** What is wrong with a value of the schema, which need not be an object. */
function valueErrors(schema: JsonSchema, value: unknown): readonly FieldError[] {
  const { default: _default, ...rest } = schema;
  return checkInTime({ value }, { properties: { value: rest } }).errors;
}

/** What values are called where they are told to be wrong. */
export interface ValueWords {
  /** Such as `the class`. */
  readonly owner: string;
  /** Such as `parameter`. */
  readonly one: string;
}

/** Values with defaults. */
export interface CheckedValues {
  readonly values: JsonObject;
  /** Paths begin at the prefix. */
  readonly errors: readonly FieldError[];
}

/** What was stated, with the defaults of its schema, or everything wrong with it; paths begin at `prefix`. */
export function checkValues(schema: JsonSchema, given: unknown, prefix: FieldPath, words: ValueWords): CheckedValues {
  if (given !== undefined && !isJsonObject(given)) {
    const detail = 'must be an object';
    return { values: {}, errors: [{ path: prefix, value: given, reason: 'FieldValueTypeInvalid', detail }] };
  }
  const { body, errors, unknown } = checkInTime(given ?? {}, schema);
  return {
    values: body,
    errors: [
      ...errors.map((error) => ({ ...error, path: [...prefix, ...error.path] })),
      ...unknown.map((path): FieldError => {
        const detail = path.length === 1 ? noSuch(schema, words) : `${words.owner} knows no such field`;
        return { path: [...prefix, ...path], reason: 'FieldValueForbidden', detail };
      }),
    ],
  };
}

function noSuch({ properties = {} }: JsonSchema, { owner, one }: ValueWords): string {
  return `${owner} has no such ${one}; known: ${Object.keys(properties).sort().join(', ') || 'none'}`;
}
