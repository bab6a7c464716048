import { isJsonObject } from '@crate/api';
import { canonicalJson, jsonEqual } from '../apply/json.js';
import type { JsonSchema } from '../kinds/json-schema.js';
import type { FieldError, FieldPath } from './field-error.js';

/** What is wrong with one value, its members aside. */
export function checkValue(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  const mistyped = checkType(value, schema, path);
  if (mistyped) return [mistyped];
  return [
    ...checkEnum(value, schema, path),
    ...checkString(value, schema, path),
    ...checkNumber(value, schema, path),
    ...checkObject(value, schema, path),
    ...checkList(value, schema, path),
    ...checkCombined(value, schema, path),
  ];
}

function checkType(value: unknown, schema: JsonSchema, path: FieldPath): FieldError | undefined {
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : [schema.type ?? []].flat();
  if (types.length === 0 || types.some((type) => isType(value, type))) return undefined;
  return { path, value, reason: 'FieldValueTypeInvalid', detail: `must be of type ${types.join(' or ')}` };
}

function isType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function checkEnum(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  if (!schema.enum || schema.enum.some((allowed) => jsonEqual(allowed, value))) return [];
  const detail = `supported values: ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(', ')}`;
  return [{ path, value, reason: 'FieldValueNotSupported', detail }];
}

function checkString(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  if (typeof value !== 'string') return [];
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  const ofLength = invalidWhere(value, path, [
    [value.length < minLength, `must have at least ${minLength} characters`],
    [value.length > maxLength, `must have at most ${maxLength} characters`],
  ]);
  // Whoever bounds a text bounds how long a pattern takes for it.
  if (ofLength.length > 0 || pattern === undefined) return ofLength;
  return invalidWhere(value, path, [[!matches(value, pattern), `must match ${pattern}`]]);
}

/** A pattern that only Go's regular expressions know cannot be checked here, and so holds. */
function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return true;
  }
}

function checkNumber(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  if (typeof value !== 'number') return [];
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = schema;
  const above = schema.exclusiveMinimum === true ? value > minimum : value >= minimum;
  const below = schema.exclusiveMaximum === true ? value < maximum : value <= maximum;
  return invalidWhere(value, path, [
    [!above, `must be ${schema.exclusiveMinimum === true ? 'more than' : 'at least'} ${minimum}`],
    [!below, `must be ${schema.exclusiveMaximum === true ? 'less than' : 'at most'} ${maximum}`],
    [multipleOf !== undefined && value % multipleOf !== 0, `must be a multiple of ${multipleOf}`],
  ]);
}

function checkObject(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  if (!isJsonObject(value)) return [];
  const missing = (schema.required ?? []).filter(
    (name) => value[name] === undefined && schema.properties?.[name]?.default === undefined,
  );
  const count = Object.keys(value).length;
  return [
    ...missing.map((name): FieldError => ({ path: [...path, name], reason: 'FieldValueRequired', detail: '' })),
    ...invalidWhere(value, path, [
      [count < (schema.minProperties ?? 0), `must have at least ${schema.minProperties} fields`],
      [count > (schema.maxProperties ?? Infinity), `must have at most ${schema.maxProperties} fields`],
    ]),
  ];
}

function checkList(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  if (!Array.isArray(value)) return [];
  return [
    ...invalidWhere(value, path, [
      [value.length < (schema.minItems ?? 0), `must have at least ${schema.minItems} items`],
      [value.length > (schema.maxItems ?? Infinity), `must have at most ${schema.maxItems} items`],
    ]),
    ...checkDistinct(value, schema, path),
  ];
}

function checkDistinct(items: readonly unknown[], schema: JsonSchema, path: FieldPath): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'map' && type !== 'set') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const identities = items.map((item) =>
    canonicalJson(type === 'set' ? item : keys.map((key) => (isJsonObject(item) ? item[key] : undefined) ?? null)),
  );
  const seen = new Set<string>();
  return items.flatMap((item, index) =>
    seen.size < seen.add(identities[index] ?? '').size
      ? []
      : [{ path: [...path, index], value: item, reason: 'FieldValueDuplicate', detail: 'must be unique' } as const],
  );
}

function checkCombined(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  const fits = (option: JsonSchema): boolean => deepErrors(value, option, path).length === 0;
  return [
    ...(schema.allOf ?? []).flatMap((part) => deepErrors(value, part, path)),
    ...invalidWhere(value, path, [
      [schema.anyOf !== undefined && !schema.anyOf.some(fits), 'must fit at least one of the allowed forms'],
      [
        schema.oneOf !== undefined && schema.oneOf.filter(fits).length !== 1,
        'must fit exactly one of the allowed forms',
      ],
      [schema.not !== undefined && fits(schema.not), 'must not have this form'],
    ]),
  ];
}

/** Errors of a value and its members, for schemas that judge but neither prune nor default. */
function deepErrors(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  const own = checkValue(value, schema, path);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? [...own, ...value.flatMap((item, index) => deepErrors(item, items, [...path, index]))] : own;
  }
  if (!isJsonObject(value)) return own;
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => value[name] !== undefined);
  return [...own, ...members.flatMap(([name, member]) => deepErrors(value[name], member, [...path, name]))];
}

function invalidWhere(
  value: unknown,
  path: FieldPath,
  checks: readonly (readonly [failed: boolean, detail: string])[],
): FieldError[] {
  return checks
    .filter(([failed]) => failed)
    .map(([, detail]) => ({ path, value, reason: 'FieldValueInvalid' as const, detail }));
}
