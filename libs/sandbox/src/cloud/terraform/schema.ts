import { isObject, type Value, type Values } from './value.js';

type Primitive = 'string' | 'number' | 'bool';

/** A Terraform type constraint in its JSON form. */
export type TypeConstraint = Primitive | readonly ['list' | 'set' | 'map', Primitive];

/** One attribute of a block. */
export interface Attribute {
  readonly type: TypeConstraint;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  /** What the provider fills in whenever the configuration says nothing. */
  readonly default?: Value;
  /** A change means a new resource. */
  readonly forceNew?: boolean;
}

/** A block within a block. */
export interface NestedBlock {
  readonly nesting: 'list' | 'set';
  readonly block: Block;
  readonly maxItems?: number;
}

/** Attributes and nested blocks of a resource, a data source or the provider. */
export interface Block {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly blocks?: Readonly<Record<string, NestedBlock>>;
}

interface Flags {
  readonly forceNew?: boolean;
}

/** Must be configured. */
export function required(type: TypeConstraint, flags: Flags = {}): Attribute {
  return { type, required: true, ...flags };
}

/** May be configured; null otherwise. */
export function optional(type: TypeConstraint, flags: Flags = {}): Attribute {
  return { type, optional: true, ...flags };
}

/** Only the provider says it. */
export function computed(type: TypeConstraint): Attribute {
  return { type, computed: true };
}

/** May be configured; otherwise the provider chooses once and keeps its choice. */
export function chosen(type: TypeConstraint, flags: Flags = {}): Attribute {
  return { type, optional: true, computed: true, ...flags };
}

/** May be configured; otherwise has this value. */
export function defaulted(type: TypeConstraint, value: Value, flags: Flags = {}): Attribute {
  return { type, optional: true, computed: true, default: value, ...flags };
}

/** Gives `value` exactly the shape of the block: what is missing is null or no blocks, what is not in it is left out. */
export function conform(block: Block, value: Values): Values {
  const shaped: Record<string, Value> = {};
  for (const name of Object.keys(block.attributes)) shaped[name] = value[name] ?? null;
  for (const [name, nested] of Object.entries(block.blocks ?? {})) {
    const items = value[name];
    shaped[name] = Array.isArray(items)
      ? items.map((item: Value) => (isObject(item) ? conform(nested.block, item) : item))
      : (items ?? []);
  }
  return shaped;
}

/** The schema as the plugin protocol wants it. */
export function wireSchema(block: Block): object {
  return { version: 0, block: wireBlock(block) };
}

function wireBlock(block: Block): object {
  return {
    attributes: Object.entries(block.attributes).map(([name, attribute]) => ({
      name,
      type: Buffer.from(JSON.stringify(attribute.type)),
      required: attribute.required ?? false,
      optional: attribute.optional ?? false,
      computed: attribute.computed ?? false,
    })),
    block_types: Object.entries(block.blocks ?? {}).map(([type_name, nested]) => ({
      type_name,
      block: wireBlock(nested.block),
      nesting: nested.nesting.toUpperCase(),
      max_items: nested.maxItems ?? 0,
    })),
  };
}
