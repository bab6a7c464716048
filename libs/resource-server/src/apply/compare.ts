import { isJsonObject, type JsonObject } from '@crate/api';
import type { FieldSchema } from './field-schema.js';
import { FieldSet } from './field-set.js';
import { jsonEqual } from './json.js';
import { fieldElement, type PathElement } from './path-element.js';

/** What a write changed. Added and removed paths include the objects and items on the way. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  /** Paths below a value that gave way to one of another type; also among `removed`. */
  readonly replaced: FieldSet;
}

const NONE = FieldSet.EMPTY;
const SAME: Comparison = { added: NONE, removed: NONE, modified: NONE, replaced: NONE };

type Child = readonly [PathElement, unknown, FieldSchema];

/** The difference between two values of one schema, path by path. */
export function compareFields(before: unknown, after: unknown, schema: FieldSchema): Comparison {
  const left = new Map(children(before, schema).map((child) => [child[0], child]));
  const right = new Map(children(after, schema).map((child) => [child[0], child]));
  const parts = [...new Set([...left.keys(), ...right.keys()])].map((element) => ({
    element,
    comparison: compareChild(left.get(element), right.get(element)),
  }));
  const collect = (side: keyof Comparison): FieldSet =>
    FieldSet.fromEntries(parts.map(({ element, comparison }) => [element, comparison.self === side, comparison[side]]));
  return {
    added: collect('added'),
    removed: collect('removed'),
    modified: collect('modified'),
    replaced: collect('replaced'),
  };
}

/** The direct fields or items of a value that merge one by one; none for leaves and atomic values. */
export function children(value: unknown, schema: FieldSchema): readonly Child[] {
  const kind = schema.mergeKind(value);
  if (kind === 'map') {
    const fields = Object.entries(value as JsonObject).filter(([, member]) => member !== undefined);
    return fields.map(([name, member]) => [fieldElement(name), member, schema.field(name)]);
  }
  if (kind === 'list-map' || kind === 'list-set') {
    return (value as unknown[]).map((item) => [schema.itemElement(item), item, schema.item]);
  }
  return [];
}

/** Every path of a value: what becomes owned when the value appears. */
export function allFields(value: unknown, schema: FieldSchema): FieldSet {
  return FieldSet.fromEntries(
    children(value, schema).map(([element, child, below]) => [element, true, allFields(child, below)]),
  );
}

function compareChild(
  left: Child | undefined,
  right: Child | undefined,
): Comparison & { readonly self?: keyof Comparison } {
  if (left === undefined) return { ...SAME, self: 'added', added: right ? allFields(right[1], right[2]) : SAME.added };
  if (right === undefined) return { ...SAME, self: 'removed', removed: allFields(left[1], left[2]) };
  if (jsonEqual(left[1], right[1])) return SAME;
  const changes = compareFields(left[1], right[1], left[2]);
  if (isContainer(left) && isContainer(right)) return changes;
  return { ...changes, self: 'modified', replaced: changes.removed };
}

function isContainer([, value, schema]: Child): boolean {
  const kind = schema.mergeKind(value);
  return kind !== 'leaf' && kind !== 'atomic' && (isJsonObject(value) || Array.isArray(value));
}
