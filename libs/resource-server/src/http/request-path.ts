import type { ResourceType } from '@crate/resource-client';
import { isStorable } from './storable.js';

/** A path under `/api/v1` or `/apis/<group>/<version>` that names a resource. */
export interface ResourcePath extends ResourceType {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/**
 * Reads a resource path; undefined when it is not one. `/namespaces/<name>` itself is the core kind Namespace,
 * whose `status` and `finalize` are subresources and not resource types within it.
 */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const segments = decode(path);
  const [root, ...rest] = segments ?? [];
  if (root === 'api' && rest[0] === 'v1') return resource({ group: '', version: 'v1' }, rest.slice(1));
  const [group, version, ...below] = rest;
  if (root !== 'apis' || !group || !version) return undefined;
  return resource({ group, version }, below);
}

function resource(base: { group: string; version: string }, segments: readonly string[]): ResourcePath | undefined {
  const [first, second, third] = segments;
  const isScoped = first === 'namespaces' && second && third && !isNamespaceSubresource(base.group, third);
  const namespace = isScoped ? { namespace: second } : {};
  const [plural, name, subresource, ...more] = isScoped ? segments.slice(2) : segments;
  if (!plural || more.length > 0) return undefined;
  return {
    ...base,
    plural,
    ...namespace,
    ...(name ? { name } : {}),
    ...(subresource ? { subresource } : {}),
  };
}

function isNamespaceSubresource(group: string, segment: string): boolean {
  return group === '' && (segment === 'status' || segment === 'finalize');
}

/** Undefined for a malformed escape, an empty segment, or one that no name can be. */
function decode(path: string): readonly string[] | undefined {
  try {
    const segments = path
      .replace(/^\/|\/$/g, '')
      .split('/')
      .map(decodeURIComponent);
    return segments.every((segment) => segment !== '' && isStorable(segment)) ? segments : undefined;
  } catch {
    return undefined;
  }
}
