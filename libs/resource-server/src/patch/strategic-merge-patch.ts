import { isJsonObject, type JsonObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { FieldSchema } from '../apply/field-schema.js';
import { jsonEqual } from '../apply/json.js';
import { orderItems } from './element-order.js';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder/';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

/**
 * Strategic merge patch: a merge patch that knows which lists merge item by item, and takes directives.
 * Source: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function strategicMergePatch(target: unknown, patch: unknown, schema: FieldSchema): unknown {
  if (!isJsonObject(patch)) throw badRequest('a strategic merge patch is an object');
  return mergeObject(isJsonObject(target) ? target : {}, patch, schema);
}

function mergeObject(target: JsonObject, patch: JsonObject, schema: FieldSchema): JsonObject {
  const { [DIRECTIVE]: directive, [RETAIN_KEYS]: retained, ...stated } = patch;
  if (directive === 'delete') return {};
  const base = directive === 'replace' ? {} : retain(target, retained);
  const result = { ...base };
  for (const [name, value] of Object.entries(stated)) {
    const list = listOf(name);
    if (list?.prefix === DELETE_FROM_LIST) removeValues(result, list.name, value);
    else if (list === undefined) mergeMember(result, name, value, schema.field(name));
  }
  for (const [name, value] of Object.entries(stated)) {
    const list = listOf(name);
    if (list?.prefix === ELEMENT_ORDER) reorder(result, list.name, value, schema.field(list.name));
  }
  return result;
}

function mergeMember(result: JsonObject, name: string, value: unknown, schema: FieldSchema): void {
  if (value === null) delete result[name];
  else result[name] = mergeValue(Object.hasOwn(result, name) ? result[name] : undefined, value, schema);
}

function mergeValue(target: unknown, value: unknown, schema: FieldSchema): unknown {
  if (isJsonObject(value)) return mergeObject(isJsonObject(target) ? target : {}, value, schema);
  if (!Array.isArray(value)) return value;
  const items: readonly unknown[] = Array.isArray(target) ? target : [];
  const stated: readonly unknown[] = value;
  switch (schema.mergeKind(value)) {
    case 'list-set':
      return [...items, ...stated.filter((item) => !items.some((other) => jsonEqual(item, other)))];
    case 'list-map':
      return mergeItems(items, stated.filter(isJsonObject), schema);
    default:
      return stated.map((item) => (isJsonObject(item) ? mergeObject({}, item, schema.item) : item));
  }
}

function mergeItems(target: readonly unknown[], patch: readonly JsonObject[], schema: FieldSchema): unknown[] {
  const replaces = patch.some((item) => item[DIRECTIVE] === 'replace' && Object.keys(item).length === 1);
  const key = schema.listKeys[0] ?? '';
  let items = replaces ? [] : [...target];
  for (const item of patch) {
    if (item[DIRECTIVE] === 'replace' && Object.keys(item).length === 1) continue;
    if (item[key] === undefined) throw badRequest(`map does not contain the merge key "${key}"`);
    const place = items.findIndex((other) => isJsonObject(other) && jsonEqual(other[key], item[key]));
    if (item[DIRECTIVE] === 'delete') items = items.filter((_, index) => index !== place);
    else if (place < 0) items.push(mergeObject({}, item, schema.item));
    else items[place] = mergeObject(items[place] as JsonObject, item, schema.item);
  }
  return items;
}

function retain(target: JsonObject, keys: unknown): JsonObject {
  if (!Array.isArray(keys)) return target;
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

function removeValues(result: JsonObject, name: string, values: unknown): void {
  const items = result[name];
  if (!Array.isArray(items) || !Array.isArray(values)) return;
  result[name] = items.filter((item) => !values.some((value) => jsonEqual(item, value)));
}

function reorder(result: JsonObject, name: string, order: unknown, schema: FieldSchema): void {
  const items = result[name];
  if (!Array.isArray(items) || !Array.isArray(order)) return;
  const key = schema.listKeys[0];
  const identity = (item: unknown): unknown => (key !== undefined && isJsonObject(item) ? item[key] : item);
  result[name] = orderItems(items, order, identity);
}

function listOf(name: string): { readonly prefix: string; readonly name: string } | undefined {
  const prefix = [ELEMENT_ORDER, DELETE_FROM_LIST].find((known) => name.startsWith(known));
  return prefix === undefined ? undefined : { prefix, name: name.slice(prefix.length) };
}
