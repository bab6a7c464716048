import { isJsonObject } from '@crate/api';
import type { FieldSchema } from './field-schema.js';
import type { PathElement } from './path-element.js';

/** The live value with the stated one laid over it; what only the live value has stays. */
export function mergeFields(live: unknown, stated: unknown, schema: FieldSchema): unknown {
  if (stated === undefined) return live;
  const kind = schema.mergeKind(stated);
  if (kind !== schema.mergeKind(live)) return stated;
  if (kind === 'map' && isJsonObject(live) && isJsonObject(stated)) {
    const names = new Set([...Object.keys(live), ...Object.keys(stated)]);
    return Object.fromEntries(
      [...names].map((name) => [name, mergeFields(live[name], stated[name], schema.field(name))]),
    );
  }
  if (kind === 'list-map' || kind === 'list-set') return mergeLists(live as unknown[], stated as unknown[], schema);
  return stated;
}

/**
 * Items in the stated order; items that only the live list has keep their place relative to their neighbours.
 * Source: https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/typed/merge.go (visitListItems)
 */
function mergeLists(live: readonly unknown[], stated: readonly unknown[], schema: FieldSchema): unknown[] {
  const elementOf = (item: unknown): PathElement => schema.itemElement(item);
  const liveByElement = new Map(live.map((item) => [elementOf(item), item]));
  const isStated = new Set(stated.map(elementOf));
  const shared = stated.map(elementOf).filter((element) => liveByElement.has(element));
  const merged: unknown[] = [];
  let next = 0;
  const takeLiveOnly = (): void => {
    for (; next < live.length; next += 1) {
      const element = elementOf(live[next]);
      if (!isStated.has(element)) merged.push(live[next]);
      else if (shared.length === 0 || element === shared[0]) return;
    }
  };
  for (const item of stated) {
    takeLiveOnly();
    const element = elementOf(item);
    if (next < live.length && elementOf(live[next]) === element) next += 1;
    if (shared[0] === element) shared.shift();
    merged.push(mergeFields(liveByElement.get(element), item, schema.item));
  }
  takeLiveOnly();
  return merged;
}
