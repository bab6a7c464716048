import type { WorkedObject } from '../commands/worked-object.js';
import { formatApiVersion } from './api-version.js';

/** The path of the object. */
export function objectPath({ kind, name }: WorkedObject, namespace: string): string {
  const object = [namespace, kind.plural, name].map(encodeURIComponent);
  return `/apis/${formatApiVersion(kind.group, kind.version)}/namespaces/${object.join('/')}`;
}

/** The path of a subresource of the object. */
export function subresourcePath(object: WorkedObject, namespace: string, subresource: string): string {
  return `${objectPath(object, namespace)}/${encodeURIComponent(subresource)}`;
}
