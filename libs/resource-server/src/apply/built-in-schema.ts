import type { JsonSchema } from '../kinds/json-schema.js';

/** An object whose named fields merge in a special way. */
export function fields(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { properties };
}

/** A list whose items are told apart by `keys`. */
export function listMap(
  keys: readonly string[],
  item: JsonSchema = {},
  defaults: Readonly<Record<string, unknown>> = {},
): JsonSchema {
  const defaulted = Object.entries(defaults).map(([key, value]) => [key, { default: value }] as const);
  return {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    items: { ...item, properties: { ...item.properties, ...Object.fromEntries(defaulted) } },
  };
}

/** A list of distinct scalars. */
export const set: JsonSchema = { 'x-kubernetes-list-type': 'set' };

/** An object replaced whole, such as a selector. */
export const atomicMap: JsonSchema = { 'x-kubernetes-map-type': 'atomic' };
