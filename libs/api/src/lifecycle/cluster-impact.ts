import { isJsonObject } from '../object/json.js';
import { z } from 'zod';
import { CLUSTER, type ClusterSpec } from './cluster.js';
import { IMPACTS, type Impact } from './impact.js';
import { GROWING_EXTENSION, IMPACT_EXTENSION } from './stated-impact.js';

/** One field that is not afterwards what it is before, and what that does to what runs. */
export interface FieldImpact {
  /** Such as `spec.nodePools[name=workers].replicas`. */
  readonly field: string;
  readonly impact: Impact;
  /** Absent: there is none. */
  readonly before?: unknown;
  /** Absent: there is none. */
  readonly after?: unknown;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Members of any name are taken. */
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly [IMPACT_EXTENSION]?: Impact;
  readonly [GROWING_EXTENSION]?: Impact;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** What nobody stated the impact of counts as this. */
const WORST: Impact = 'replace';

/** What changes an add-on that nobody named before, and that is there all the same, such as one that comes by default. */
const SAID_OF_ADD_ONS = ['enabled', 'version', 'values'];

let known: Schema | undefined;

/**
 * What a change of a Cluster does, field by field; nothing for a spec that stays as it is. `installed` are the names of the add-ons that the
 * cluster has; absent: it may have any. Pure.
 */
export function impactOfChange(
  before: ClusterSpec,
  after: ClusterSpec,
  installed?: readonly string[],
): readonly FieldImpact[] {
  const schema = specSchema();
  const addOn = schema.properties?.['addOns']?.items;
  return differences('spec', [before, after], schema, undefined).map((change) => naming(change, addOn, installed));
}

/** The highest of these impacts; `none` when there are none. */
export function highestImpact(impacts: readonly Impact[]): Impact {
  return IMPACTS[Math.max(0, ...impacts.map((impact) => IMPACTS.indexOf(impact)))] ?? WORST;
}

function specSchema(): Schema {
  known ??=
    (z.toJSONSchema(CLUSTER.body, { io: 'input', unrepresentable: 'any' }) as Schema).properties?.['spec'] ?? {};
  return known;
}

type Pair = readonly [before: unknown, after: unknown];

function differences(path: string, pair: Pair, schema: Schema, inherited: Impact | undefined): FieldImpact[] {
  const [before, after] = pair;
  if (isSame(before, after)) return [];
  const own = schema[IMPACT_EXTENSION] ?? inherited;
  if (schema.properties && isJsonObject(before) && isJsonObject(after))
    return inFields(path, [before, after], schema, own);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys && Array.isArray(before) && Array.isArray(after)) return inList(path, [before, after], schema, keys);
  return [leaf(path, pair, schema, own)];
}

function inFields(
  path: string,
  [before, after]: readonly [Fields, Fields],
  { properties = {}, additionalProperties }: Schema,
  own: Impact | undefined,
): FieldImpact[] {
  const isOpen = isJsonObject(additionalProperties);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    // What a field of another release does, this one cannot tell.
    return differences(`${path}.${name}`, [before[name], after[name]], schema ?? {}, schema || isOpen ? own : WORST);
  });
}

function inList(
  path: string,
  [before, after]: readonly [readonly unknown[], readonly unknown[]],
  schema: Schema,
  keys: readonly string[],
): FieldImpact[] {
  const idOf = (element: unknown): string =>
    keys.map((key) => `${key}=${String(isJsonObject(element) ? element[key] : '')}`).join(',');
  const [old, now] = [before, after].map((list) => new Map(list.map((element) => [idOf(element), element])));
  const ids = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
  return ids.flatMap((id) => {
    const pair: Pair = [old?.get(id), now?.get(id)];
    const isInBoth = pair[0] !== undefined && pair[1] !== undefined;
    const at = `${path}[${id}]`;
    return isInBoth
      ? differences(at, pair, schema.items ?? {}, undefined)
      : [leaf(at, pair, schema, schema[IMPACT_EXTENSION])];
  });
}

/** An add-on that is named for the first time does at least what is said with it, where the cluster may have it. */
function naming(change: FieldImpact, { properties = {} }: Schema = {}, installed?: readonly string[]): FieldImpact {
  const { field, before, after, impact } = change;
  if (before !== undefined || !isJsonObject(after) || field !== `spec.addOns[name=${String(after['name'])}]`)
    return change;
  if (installed?.includes(String(after['name'])) === false) return change;
  const said = SAID_OF_ADD_ONS.filter((name) => saysSomething(after[name]));
  return { ...change, impact: highestImpact([impact, ...said.map((name) => impactOf(properties[name]))]) };
}

/** Neither that it is wanted, nor no values at all. */
function saysSomething(value: unknown): boolean {
  return value !== undefined && value !== true && !(isJsonObject(value) && Object.keys(value).length === 0);
}

function impactOf(schema: Schema | undefined): Impact {
  return schema?.[IMPACT_EXTENSION] ?? WORST;
}

function leaf(field: string, [before, after]: Pair, schema: Schema, own: Impact | undefined): FieldImpact {
  const growing = isMore(before, after) ? schema[GROWING_EXTENSION] : undefined;
  return {
    field,
    impact: growing ?? own ?? WORST,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** A number that grew, or an element that was not there. */
function isMore(before: unknown, after: unknown): boolean {
  if (typeof before === 'number' && typeof after === 'number') return after > before;
  return before === undefined && after !== undefined;
}

function isSame(left: unknown, right: unknown): boolean {
  if (isJsonObject(left) && isJsonObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].every((name) => isSame(left[name], right[name]));
  }
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  return left.length === right.length && left.every((element, index) => isSame(element, right[index]));
}
