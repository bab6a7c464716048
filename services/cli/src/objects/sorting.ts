import type { JsonPath } from './json-path.js';

const COLLATOR = new Intl.Collator('en', { numeric: true });

/**
 * Items in the order of the first value at a place of their objects: numbers and times by their value, texts as people
 * order them (`node-2` before `node-10`). What has no value there comes first, as with kubectl; equals keep their order.
 */
export function sortedBy<T>(
  items: readonly T[],
  path: JsonPath | undefined,
  objectOf: (item: T) => unknown,
): readonly T[] {
  if (!path) return items;
  const keyed = items.map((item) => ({ item, key: path.values(objectOf(item))[0] }));
  return keyed.sort((left, right) => compare(left.key, right.key)).map(({ item }) => item);
}

function compare(left: unknown, right: unknown): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return COLLATOR.compare(textOf(left), textOf(right));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
