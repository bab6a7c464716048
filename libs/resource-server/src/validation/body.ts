import { isJsonObject, type JsonObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { FieldValidation } from '@crate/resource-client';
import { withoutNulls } from '../apply/json.js';
import type { ServedKind } from '../kinds/served-kind.js';
import { type FieldError, type FieldPath, formatPath, toCause, valueAt } from './field-error.js';
import { namesInStructure, namesInZod } from './known-names.js';
import { withSecretsMarked } from './secret-fields.js';
import { isStoredAt, type StoredBody, withFieldsOf } from './stored-fields.js';
import { checkStructure } from './structural-schema.js';
import { tellUnknown, type UnknownField, unknownFields } from './unknown-fields.js';
import { withoutPaths } from './without-paths.js';
import { toFieldErrors, unknownKeys } from './zod-issues.js';

/** A body after pruning and defaulting, and everything wrong with it. */
export interface BodyCheck {
  readonly body: JsonObject;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** What is known of a document besides its body: what is wrong with the rest of it, and what it was. */
export interface RestCheck {
  readonly errors: readonly FieldError[];
  readonly unknown: readonly UnknownField[];
  /** The body before this write; unknown fields that it has, too, stay. */
  readonly stored?: StoredBody | undefined;
}

const NOTHING: RestCheck = { errors: [], unknown: [] };

/**
 * Prunes unknown fields, sets defaults and validates. Unknown fields are a 400 under `Strict`
 * (which then names the invalid fields too, so that one answer tells all), a warning each under `Warn`, as far as they are named. Those that
 * are stored stay, and nothing is said of them: a newer release, which has them, may have written them. What is wrong with the rest of
 * the document comes first.
 */
export function checkBody(
  served: ServedKind,
  input: JsonObject,
  validation: FieldValidation,
  rest: RestCheck = NOTHING,
): BodyCheck {
  const given = withoutNulls(input) as JsonObject;
  const checked = served.schema ? checkStructure(given, served.schema) : checkZod(served, given);
  const errors = [...rest.errors, ...withSecretsMarked(served, checked.errors)];
  const [kept, unknown] = partition(checked.unknown, (path) => isStoredAt(path, given, rest.stored));
  const found = unknownFields(unknown, (parent) => missing(served, given, parent));
  const warnings = warningsOf(served, validation, { errors, unknown: [...rest.unknown, ...found] });
  return { body: withFieldsOf(given, checked.body, kept), errors, warnings };
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const one of all) (isFirst(one) ? first : second).push(one);
  return [first, second];
}

/** Of unknown fields, which were left out. Throws BadRequest under `Strict`. */
export function warningsOf(
  served: ServedKind,
  validation: FieldValidation,
  { errors, unknown }: RestCheck,
): readonly string[] {
  if (unknown.length === 0 || validation === 'Ignore') return [];
  if (validation === 'Strict') throw strictDecodingError(served, unknown, errors);
  return tellUnknown(unknown).texts;
}

/** The outcome of one schema; `body` is meaningful only without `errors`. */
export interface SchemaCheck {
  readonly body: JsonObject;
  readonly errors: readonly FieldError[];
  readonly unknown: readonly FieldPath[];
}

function checkZod({ definition }: ServedKind, given: JsonObject): SchemaCheck {
  let unknown: readonly FieldPath[] = [];
  let body = given;
  for (;;) {
    const parsed = definition.body.safeParse(body);
    if (parsed.success) return { body: parsed.data as JsonObject, errors: [], unknown };
    const found = unknownKeys(parsed.error.issues);
    if (found.length === 0) return { body, errors: toFieldErrors(parsed.error.issues, body), unknown };
    // Refinements of an object run only once its own shape is right, so look again without the unknown keys.
    unknown = [...unknown, ...found];
    body = withoutPaths(body, found) as JsonObject;
  }
}

/** Names of the fields that the object at `parent` may have and has not. */
function missing({ definition, schema }: ServedKind, given: JsonObject, parent: FieldPath): readonly string[] {
  const names = schema ? namesInStructure(schema, parent) : namesInZod(definition.body, parent);
  const beside = valueAt(given, parent);
  return names.filter((name) => !isJsonObject(beside) || !Object.hasOwn(beside, name));
}

function strictDecodingError(
  { definition }: ServedKind,
  unknown: readonly UnknownField[],
  errors: readonly FieldError[],
): Error {
  const { texts, causes } = tellUnknown(unknown);
  const also = errors.map((error) => `${formatPath(error.path)}: ${toCause(error).message}`);
  const rest = also.length === 0 ? '' : `; also ${also.join(', ')}`;
  const { kind, version, group } = definition;
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${texts.join(', ')}${rest}`,
    { group, kind, causes: [...causes, ...errors.map(toCause)] },
  );
}
