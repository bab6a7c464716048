import { isJsonObject, type JsonObject } from '@crate/api';
import type { FieldSchema } from '../apply/field-schema.js';
import { jsonEqual } from '../apply/json.js';
import { type FieldPath, valueAt } from './field-error.js';

/** The body of a stored object, and how lists in it merge. */
export interface StoredBody {
  readonly body: JsonObject;
  readonly schema: FieldSchema;
}

/** True when `stored` has the value that `given` has at `path`; items of a list with keys are told by these. Pure. */
export function isStoredAt(path: FieldPath, given: JsonObject, stored: StoredBody | undefined): boolean {
  if (!stored) return false;
  let [left, right, schema]: [unknown, unknown, FieldSchema] = [given, stored.body, stored.schema];
  for (const step of path) {
    const isItem = Array.isArray(left);
    right = isItem ? storedItem(left as unknown[], right, Number(step), schema) : valueAt(right, [step]);
    schema = isItem ? schema.item : schema.field(String(step));
    left = valueAt(left, [step]);
  }
  return right !== undefined && jsonEqual(left, right);
}

function storedItem(given: readonly unknown[], stored: unknown, index: number, schema: FieldSchema): unknown {
  if (!Array.isArray(stored) || schema.mergeKind(given) !== 'list-map') return valueAt(stored, [index]);
  const element = schema.itemElement(given[index]);
  return stored.find((item: unknown) => schema.itemElement(item) === element) as unknown;
}

/** `body` with what `given` has at `paths`; where `body` has neither object nor list on the way, nothing is added. Pure. */
export function withFieldsOf(given: JsonObject, body: JsonObject, paths: readonly FieldPath[]): JsonObject {
  return paths.reduce<unknown>((whole, path) => withField(whole, path, valueAt(given, path)), body) as JsonObject;
}

function withField(body: unknown, [step, ...rest]: FieldPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(body)) return body.map((item: unknown, i) => (i === step ? withField(item, rest, value) : item));
  return isJsonObject(body) ? { ...body, [step]: withField(body[step], rest, value) } : body;
}
