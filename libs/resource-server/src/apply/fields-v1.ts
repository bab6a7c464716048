import { isJsonObject, type JsonObject } from '@crate/api';
import { FieldSet } from './field-set.js';
import { parseElement } from './path-element.js';

/**
 * The wire form of a set in `metadata.managedFields`: nested objects, `{}` for a member, `"."` for a member with others below.
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ (fieldsV1)
 */
export function toFieldsV1(set: FieldSet): JsonObject {
  const result: JsonObject = {};
  const entries = [...set.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [element, member, children] of entries) {
    const below = toFieldsV1(children);
    result[element] = member && !children.isEmpty ? { '.': {}, ...below } : below;
  }
  return result;
}

/** Reads the wire form; undefined when it is malformed. */
export function fromFieldsV1(fields: unknown): FieldSet | undefined {
  if (!isJsonObject(fields)) return undefined;
  const entries: [string, boolean, FieldSet][] = [];
  for (const [text, value] of Object.entries(fields)) {
    if (text === '.') continue;
    const element = parseElement(text);
    const children = fromFieldsV1(value);
    if (element === undefined || children === undefined) return undefined;
    const isMember = Object.keys(value as JsonObject).length === 0 || '.' in (value as JsonObject);
    entries.push([element, isMember, children]);
  }
  return FieldSet.fromEntries(entries);
}
