/** A copy that shares nothing with `value`, which is of the JSON types only. */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  if (typeof value !== 'object' || value === null) return value;
  // A spread is several times faster than entries are, and defines a field `__proto__` as it is.
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) if (typeof copy[key] === 'object') copy[key] = cloneJson(copy[key]);
  return copy as T;
}

/** Equality of JSON values: the order of an object's keys does not count. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(field(left, key), field(right, key)));
}

/** Makes `value` immutable all the way down and returns it, so that it can be handed to many readers. */
export function freezeJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freezeJson);
  return Object.freeze(value);
}

function field(object: object, key: string): unknown {
  return (object as Record<string, unknown>)[key];
}
