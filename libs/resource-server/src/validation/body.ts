import { nearestName } from '@crate/api';
import { badRequest, type ErrorCause } from '@crate/errors';
import type { FieldValidation } from '@crate/resource-client';
import { isObject, type JsonObject, withoutNulls } from '../apply/json.js';
import type { ServedKind } from '../kinds/served-kind.js';
import { type FieldError, type FieldPath, formatPath, toCause, valueAt } from './field-error.js';
import { namesInStructure, namesInZod } from './known-names.js';
import { checkStructure } from './structural-schema.js';
import { toFieldErrors, unknownKeys } from './zod-issues.js';

/** A body after pruning and defaulting, and everything wrong with it. */
export interface BodyCheck {
  readonly body: JsonObject;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** What is wrong with the rest of a document. */
export interface RestCheck {
  readonly errors: readonly FieldError[];
  readonly unknown: readonly UnknownField[];
}

const NOTHING: RestCheck = { errors: [], unknown: [] };

/**
 * Prunes unknown fields, sets defaults and validates. Unknown fields are a 400 under `Strict`
 * (which then names the invalid fields too, so that one answer tells all), a warning each under `Warn`. What is wrong with the rest of
 * the document comes first.
 */
export function checkBody(
  served: ServedKind,
  input: JsonObject,
  validation: FieldValidation,
  rest: RestCheck = NOTHING,
): BodyCheck {
  const given = withoutNulls(input) as JsonObject;
  const { body, unknown, ...checked } = served.schema ? checkStructure(given, served.schema) : checkZod(served, given);
  const errors = [...rest.errors, ...checked.errors];
  const found = unknown.map((path) => unknownField(path, meant(served, given, path)));
  const warnings = warningsOf(served, validation, { errors, unknown: [...rest.unknown, ...found] });
  return { body, errors, warnings };
}

/** Of unknown fields, which were left out. Throws BadRequest under `Strict`. */
export function warningsOf(
  served: ServedKind,
  validation: FieldValidation,
  { errors, unknown }: RestCheck,
): readonly string[] {
  if (unknown.length === 0 || validation === 'Ignore') return [];
  if (validation === 'Strict') throw strictDecodingError(served, unknown, errors);
  return unknown.map(({ text }) => text);
}

/** The outcome of one schema; `body` is meaningful only without `errors`. */
export interface SchemaCheck {
  readonly body: JsonObject;
  readonly errors: readonly FieldError[];
  readonly unknown: readonly FieldPath[];
}

function checkZod({ definition }: ServedKind, given: JsonObject): SchemaCheck {
  const unknown: FieldPath[] = [];
  let body = given;
  for (;;) {
    const parsed = definition.body.safeParse(body);
    if (parsed.success) return { body: parsed.data as JsonObject, errors: [], unknown };
    const found = unknownKeys(parsed.error.issues);
    if (found.length === 0) return { body, errors: toFieldErrors(parsed.error.issues, body), unknown };
    // Refinements of an object run only once its own shape is right, so look again without the unknown keys.
    unknown.push(...found);
    body = found.reduce<JsonObject>((pruned, path) => without(pruned, path) as JsonObject, body);
  }
}

function without(value: unknown, [step, ...rest]: FieldPath): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === Number(step) ? without(item, rest) : item));
  }
  if (!isObject(value)) return value;
  const { [step]: member, ...others } = value;
  return rest.length === 0 ? others : { ...others, [step]: without(member, rest) };
}

export interface UnknownField {
  readonly cause: ErrorCause;
  /** With the name of the field in it, as Kubernetes says it. */
  readonly text: string;
}

/** Pure. */
export function unknownField(path: FieldPath, nearest: string | undefined): UnknownField {
  const field = formatPath(path);
  const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
  return {
    cause: { reason: 'UnknownField', message: `unknown field${hint}`, field },
    text: `unknown field "${field}"${hint}`,
  };
}

/** The field that was most likely meant, of those that are not there yet. */
function meant({ definition, schema }: ServedKind, given: JsonObject, path: FieldPath): string | undefined {
  const parent = path.slice(0, -1);
  const names = schema ? namesInStructure(schema, parent) : namesInZod(definition.body, parent);
  const beside = valueAt(given, parent);
  const missing = names.filter((name) => !isObject(beside) || !Object.hasOwn(beside, name));
  return nearestName(String(path.at(-1)), missing);
}

function strictDecodingError(
  { definition }: ServedKind,
  unknown: readonly UnknownField[],
  errors: readonly FieldError[],
): Error {
  const named = unknown.map(({ text }) => text).join(', ');
  const also = errors.map((error) => `${formatPath(error.path)}: ${toCause(error).message}`);
  const rest = also.length === 0 ? '' : `; also ${also.join(', ')}`;
  const causes: ErrorCause[] = [...unknown.map(({ cause }) => cause), ...errors.map(toCause)];
  const { kind, version, group } = definition;
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${named}${rest}`,
    { group, kind, causes },
  );
}
