import { isDeepStrictEqual } from 'node:util';
import type { Attribute, Block } from './schema.js';
import { isKnown, isObject, UNKNOWN, type Value, type Values } from './value.js';

/** One step on the way to an attribute: a name, or an index into a list of blocks. */
export type PathStep = { readonly attribute_name: string } | { readonly element_key_int: number };

/** What Terraform asks about: `prior` is null for a new resource. */
export interface ChangeRequest {
  readonly config: Values;
  readonly prior: Values | null;
  /** Configuration merged with prior values by Terraform. */
  readonly proposed: Values;
  /** Computed attributes that come anew when the named attribute changes. */
  readonly recomputed?: Readonly<Record<string, readonly string[]>>;
}

/** What would change. */
export interface PlannedChange {
  readonly planned: Values;
  /** Attributes whose change means a new resource. */
  readonly replacements: readonly (readonly PathStep[])[];
}

/** Plans a create or an update by the rules of the schema; pure. */
export function planChange(block: Block, request: ChangeRequest): PlannedChange {
  const planned: Record<string, Value> = { ...planBlock(block, request.config, request.prior, request.proposed) };
  if (request.prior) {
    for (const [cause, effects] of Object.entries(request.recomputed ?? {})) {
      if (isSame(block.attributes[cause], planned[cause], request.prior[cause])) continue;
      for (const effect of effects) planned[effect] = UNKNOWN;
    }
  }
  return { planned, replacements: request.prior ? findReplacements(block, planned, request.prior, []) : [] };
}

function planBlock(block: Block, config: Values, prior: Values | null, proposed: Values): Values {
  const planned: Record<string, Value> = {};
  for (const [name, attribute] of Object.entries(block.attributes)) {
    planned[name] = planAttribute(attribute, { config: config[name], proposed: proposed[name], isNew: !prior });
  }
  for (const [name, nested] of Object.entries(block.blocks ?? {})) {
    const items = proposed[name];
    planned[name] = Array.isArray(items)
      ? items.map((item: Value, index) => {
          const before = itemAt(prior?.[name], index);
          return isObject(item) ? planBlock(nested.block, itemAt(config[name], index) ?? {}, before, item) : item;
        })
      : (items ?? []);
  }
  return planned;
}

function planAttribute(
  attribute: Attribute,
  values: { config: Value | undefined; proposed: Value | undefined; isNew: boolean },
): Value {
  const isConfigured = values.config !== undefined && values.config !== null;
  if (!attribute.computed || isConfigured) return values.proposed ?? null;
  if (attribute.default !== undefined) return attribute.default;
  return values.isNew ? UNKNOWN : (values.proposed ?? null);
}

function findReplacements(
  block: Block,
  planned: Values,
  prior: Values,
  path: readonly PathStep[],
): (readonly PathStep[])[] {
  const own = Object.entries(block.attributes)
    .filter(([name, attribute]) => attribute.forceNew && !isSame(attribute, planned[name], prior[name]))
    .map(([name]) => [...path, { attribute_name: name }]);
  const nested = Object.entries(block.blocks ?? {}).flatMap(([name, { block: inner }]) =>
    listItems(planned[name]).flatMap((item, index) => {
      const before = itemAt(prior[name], index);
      if (!before) return [];
      return findReplacements(inner, item, before, [...path, { attribute_name: name }, { element_key_int: index }]);
    }),
  );
  return [...own, ...nested];
}

/** An unknown value counts as different: it may be. The order within a set means nothing. */
function isSame(attribute: Attribute | undefined, left: Value | undefined, right: Value | undefined): boolean {
  if (!isKnown(left)) return false;
  const isSet = Array.isArray(attribute?.type) && attribute.type[0] === 'set';
  return isDeepStrictEqual(isSet ? sorted(left) : (left ?? null), isSet ? sorted(right) : (right ?? null));
}

function sorted(value: Value | undefined): Value {
  return Array.isArray(value) ? [...(value as Value[])].map(String).sort() : (value ?? null);
}

function listItems(value: Value | undefined): Values[] {
  return Array.isArray(value) ? (value as Value[]).filter(isObject) : [];
}

function itemAt(value: Value | undefined, index: number): Values | null {
  return listItems(value)[index] ?? null;
}
