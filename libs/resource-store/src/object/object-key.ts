import { parseApiVersion, type KubeObject } from '@crate/api';
import type { ObjectKey } from '../resource-store.js';

/** The key an object is stored under. */
export function keyOf(object: KubeObject): ObjectKey {
  const { name, namespace = '' } = object.metadata;
  return { group: parseApiVersion(object.apiVersion).group, kind: object.kind, namespace, name };
}

/** Equal for equal keys. None of the four parts can contain a line break. */
export function keyText(key: ObjectKey): string {
  return [key.group, key.kind, key.namespace, key.name].join('\n');
}

/** Order of lists: by namespace, then name, by code unit as Postgres' "C" collation has it for the names we allow. */
export function compareKeys(
  left: Pick<ObjectKey, 'namespace' | 'name'>,
  right: Pick<ObjectKey, 'namespace' | 'name'>,
): number {
  return compareText(left.namespace, right.namespace) || compareText(left.name, right.name);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
