import { isJsonObject } from '@crate/api';
import { children } from './compare.js';
import type { FieldSchema } from './field-schema.js';
import { FieldSet } from './field-set.js';

/**
 * What an applier owns by stating `value`: leaves, atomic values, empty containers and list items;
 * not the objects that merely lead there.
 */
export function appliedFields(value: unknown, schema: FieldSchema): FieldSet {
  return FieldSet.fromEntries(
    children(value, schema).map(([element, child, below]) => {
      const isItem = !element.startsWith('f:');
      return [element, isItem || isOwnedWhole(child, below), appliedFields(child, below)];
    }),
  );
}

function isOwnedWhole(value: unknown, schema: FieldSchema): boolean {
  const kind = schema.mergeKind(value);
  if (kind === 'leaf' || kind === 'atomic') return true;
  return isJsonObject(value) ? Object.keys(value).length === 0 : (value as readonly unknown[]).length === 0;
}
