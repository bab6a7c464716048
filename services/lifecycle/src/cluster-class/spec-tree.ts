import { isJsonObject, type JsonObject } from '@crate/api';
import { jsonEqual } from '@crate/resource-server';
import { NAMED_LISTS, type SpecPath } from './spec-path.js';

/** A value that is changed as a whole, and where it stands. */
export interface Leaf {
  readonly path: SpecPath;
  readonly value: unknown;
}

/** Says how a cluster came by its class, not what it is: never filled in and never compared. */
const APART: ReadonlySet<string> = new Set(['classRef', 'parameters']);

/** A spec as its leaves: comparable and mergeable one by one. */
export class SpecTree {
  private constructor(private readonly byKey: ReadonlyMap<string, Leaf>) {}

  static readonly EMPTY = new SpecTree(new Map());

  /** Of a spec of any shape. */
  static of(spec: unknown): SpecTree {
    if (!isJsonObject(spec)) return SpecTree.EMPTY;
    const described = Object.fromEntries(Object.entries(spec).filter(([field]) => !APART.has(field)));
    return SpecTree.from(leavesOf(described, []));
  }

  /** Of several leaves at one place the first counts. */
  static from(leaves: Iterable<Leaf>): SpecTree {
    const byKey = new Map<string, Leaf>();
    for (const leaf of leaves) if (!byKey.has(keyOf(leaf.path))) byKey.set(keyOf(leaf.path), leaf);
    return new SpecTree(byKey);
  }

  get leaves(): readonly Leaf[] {
    return [...this.byKey.values()];
  }

  has(path: SpecPath): boolean {
    return this.byKey.has(keyOf(path));
  }

  /** Undefined when nothing stands there. */
  at(path: SpecPath): unknown {
    return this.byKey.get(keyOf(path))?.value;
  }

  /** True when both hold the same there, or neither anything. */
  agrees(other: SpecTree, path: SpecPath): boolean {
    return jsonEqual(this.at(path), other.at(path));
  }

  /** The spec with these leaves; items stand in the order in which they first come. */
  toSpec(): JsonObject {
    const spec: JsonObject = {};
    for (const { path, value } of this.byKey.values()) place(spec, path, value);
    return spec;
  }
}

function keyOf(path: SpecPath): string {
  return JSON.stringify(path);
}

function* leavesOf(value: unknown, path: SpecPath): Iterable<Leaf> {
  if (value === undefined || value === null) return;
  if (isEmptyValue(value, path)) {
    yield { path, value };
  } else if (isJsonObject(value)) {
    for (const [field, member] of Object.entries(value)) yield* leavesOf(member, [...path, field]);
  } else if (isNamedList(value, path)) {
    for (const item of value) yield* leavesOf(item, [...path, { item: item.name }]);
  } else {
    yield { path, value };
  }
}

/** Among the values of an add-on an empty object says something: it may stand in the place of a default. */
function isEmptyValue(value: unknown, path: SpecPath): boolean {
  const isOfAddOn = path[0] === 'addOns' && path[2] === 'values' && path.length > 3;
  return isOfAddOn && isJsonObject(value) && Object.keys(value).length === 0;
}

/** A list that is not as it must be is one value, for validation to object to. */
function isNamedList(value: unknown, path: SpecPath): value is readonly { readonly name: string }[] {
  const isOne = path.length === 1 && typeof path[0] === 'string' && NAMED_LISTS.has(path[0]) && Array.isArray(value);
  if (!isOne) return false;
  const names = (value as unknown[]).map((item) => (isJsonObject(item) ? item['name'] : undefined));
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

/** Below a value of another shape nothing can stand: validation objects to that value. */
function place(spec: JsonObject, path: SpecPath, value: unknown): void {
  let parent: unknown = spec;
  for (const [index, step] of path.entries()) {
    if (typeof step !== 'string')
      parent = Array.isArray(parent) ? itemOf(parent as JsonObject[], step.item) : undefined;
    else if (!isJsonObject(parent)) return;
    else if (index === path.length - 1)
      parent[step] = isJsonObject(value) ? { ...value, ...objectAt(parent, step) } : value;
    else parent = parent[step] ??= typeof path[index + 1] === 'object' ? [] : {};
  }
}

/** What stands there already, of an object that is empty otherwise: others stated it. */
function objectAt(parent: JsonObject, step: string): JsonObject {
  const there = parent[step];
  return isJsonObject(there) ? there : {};
}

function itemOf(items: JsonObject[], name: string): JsonObject {
  const found = items.find((item) => item['name'] === name);
  if (found) return found;
  const added: JsonObject = { name };
  items.push(added);
  return added;
}
