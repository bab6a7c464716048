import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, unknown>;

/**
 * Lists of Kubernetes' own kinds that merge by a key instead of being replaced.
 * Source: the `patchMergeKey` markers of https://github.com/kubernetes/api
 */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  addresses: ['type'],
  conditions: ['type'],
  containers: ['name'],
  env: ['name'],
  ephemeralContainers: ['name'],
  hostAliases: ['ip'],
  imagePullSecrets: ['name'],
  initContainers: ['name'],
  ownerReferences: ['uid'],
  ports: ['containerPort', 'port'],
  secrets: ['name'],
  taints: ['key'],
  topologySpreadConstraints: ['topologyKey'],
  volumeDevices: ['devicePath'],
  volumeMounts: ['mountPath'],
  volumes: ['name'],
  webhooks: ['name'],
};

/** Lists of plain values that merge as sets. */
const SETS: ReadonlySet<string> = new Set(['finalizers', 'podCIDRs']);

const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';

/**
 * The object after a strategic merge patch, which is how kubectl changes Kubernetes' own kinds.
 * Source: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function strategicMerge(live: unknown, patch: unknown): unknown {
  return isObject(patch) ? mergeObject(isObject(live) ? live : {}, patch) : patch;
}

function mergeObject(live: Json, patch: Json): Json {
  const { $patch: directive, $retainKeys: retained, ...stated } = patch;
  if (directive === 'delete') return {};
  if (directive === 'replace') return withoutDirectives(stated) as Json;

  const merged: Json = Array.isArray(retained) ? pick(live, retained as string[]) : { ...live };
  for (const [name, value] of Object.entries(stated)) {
    if (name.startsWith('$')) continue;
    if (value === null) delete merged[name];
    else merged[name] = mergeMember(name, merged[name], value);
  }
  for (const [name, value] of Object.entries(stated)) {
    if (name.startsWith(DELETE_PRIMITIVES)) deletePrimitives(merged, name.slice(DELETE_PRIMITIVES.length), value);
    if (name.startsWith(ELEMENT_ORDER)) reorder(merged, name.slice(ELEMENT_ORDER.length), value);
  }
  return merged;
}

function mergeMember(name: string, live: unknown, patch: unknown): unknown {
  if (isObject(patch)) return mergeObject(isObject(live) ? live : {}, patch);
  if (!Array.isArray(patch)) return patch;
  const before: readonly unknown[] = Array.isArray(live) ? live : [];
  if (SETS.has(name)) return [...new Set([...before, ...(patch as unknown[])])];
  const key = mergeKey(name, [...(patch as unknown[]), ...before]);
  return key === undefined ? withoutDirectives(patch) : mergeList(before, patch, key);
}

function mergeList(live: readonly unknown[], patch: readonly unknown[], key: string): unknown[] {
  const isReplaced = patch.some((item) => isObject(item) && item['$patch'] === 'replace');
  if (isReplaced) return patch.filter((item) => !(isObject(item) && '$patch' in item));
  const merged = [...live];
  for (const item of patch) {
    if (!isObject(item)) continue;
    const index = merged.findIndex((other) => isObject(other) && isDeepStrictEqual(other[key], item[key]));
    if (item['$patch'] === 'delete') {
      if (index >= 0) merged.splice(index, 1);
      continue;
    }
    if (index >= 0) merged[index] = mergeObject(merged[index] as Json, item);
    else merged.push(mergeObject({}, item));
  }
  return merged;
}

function deletePrimitives(object: Json, name: string, values: unknown): void {
  if (!Array.isArray(object[name]) || !Array.isArray(values)) return;
  object[name] = (object[name] as unknown[]).filter((value) => !values.includes(value));
}

/** What the patch lists comes in its order; what it does not know keeps its place behind. */
function reorder(object: Json, name: string, order: unknown): void {
  const items = object[name];
  if (!Array.isArray(items) || !Array.isArray(order)) return;
  const key = mergeKey(name, items);
  const rank = (item: unknown): number => {
    const wanted = key === undefined || !isObject(item) ? item : item[key];
    const index = order.findIndex((entry) =>
      isDeepStrictEqual(key !== undefined && isObject(entry) ? entry[key] : entry, wanted),
    );
    return index < 0 ? order.length : index;
  };
  object[name] = items
    .map((item: unknown, index) => ({ item, index }))
    .sort((a, b) => rank(a.item) - rank(b.item) || a.index - b.index)
    .map(({ item }) => item);
}

function mergeKey(name: string, items: readonly unknown[]): string | undefined {
  const keys = MERGE_KEYS[name];
  return keys?.find((key) => items.some((item) => isObject(item) && key in item)) ?? keys?.[0];
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, inner]) => !name.startsWith('$') && inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutDirectives(inner)]));
}

function pick(object: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
