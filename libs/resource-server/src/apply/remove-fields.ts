import { isJsonObject } from '@crate/api';
import type { FieldSchema } from './field-schema.js';
import type { FieldSet } from './field-set.js';
import { fieldElement } from './path-element.js';

/**
 * The value without the paths in `removed`. Containers that become empty by it go as well;
 * atomic values are never cut into.
 */
export function removeFields(value: unknown, removed: FieldSet, schema: FieldSchema): unknown {
  if (removed.isEmpty) return value;
  const kind = schema.mergeKind(value);
  if (kind === 'map' && isJsonObject(value)) {
    const kept = Object.entries(value).flatMap(([name, member]) => {
      const left = removeChild(member, fieldElement(name), removed, schema.field(name));
      return left === undefined ? [] : [[name, left] as const];
    });
    return kept.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(kept);
  }
  if (kind === 'list-map' || kind === 'list-set') {
    const items = value as readonly unknown[];
    const kept = items
      .map((item) => removeChild(item, schema.itemElement(item), removed, schema.item))
      .filter((item) => item !== undefined);
    return kept.length === 0 && items.length > 0 ? undefined : kept;
  }
  return value;
}

function removeChild(child: unknown, element: string, removed: FieldSet, schema: FieldSchema): unknown {
  if (removed.hasElement(element)) return undefined;
  return removeFields(child, removed.below(element), schema);
}
