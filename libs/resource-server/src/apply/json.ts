import { isJsonObject, type JsonObject } from '@crate/api';

/** Equality of JSON values; the order of an object's fields does not count, an undefined field counts as absent. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, i) => jsonEqual(item, right[i]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const leftKeys = definedKeys(left);
  return leftKeys.length === definedKeys(right).length && leftKeys.every((key) => jsonEqual(left[key], right[key]));
}

/** JSON text with sorted object keys, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (!isJsonObject(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** A copy without null and undefined object members: in Kubernetes a null field is an absent one. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]));
}

function definedKeys(value: JsonObject): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** True for what says the same as nothing: no value, no text, no items, no members. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}
