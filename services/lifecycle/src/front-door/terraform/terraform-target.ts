import { INFRASTRUCTURE } from '@crate/api';
import type { ResourceRef } from '@crate/resource-client';

const PATH = /^\/terraform\/([^/]+)\/([^/]+)$/;

/** What Terraform asks for, as a call of the API. */
export interface TerraformTarget {
  readonly ref: ResourceRef & { readonly namespace: string };
  readonly verb: 'get' | 'update' | 'create';
  readonly subresource: 'state' | 'lock' | 'unlock';
}

const CALLS = {
  GET: { verb: 'get', subresource: 'state' },
  POST: { verb: 'update', subresource: 'state' },
  LOCK: { verb: 'create', subresource: 'lock' },
  UNLOCK: { verb: 'create', subresource: 'unlock' },
} as const;

/** True for `/terraform/<project>/<infrastructure>`, whatever the method. */
export function isTerraformPath(path: string): boolean {
  return PATH.test(path);
}

/** Undefined for other paths, and for methods that are none of the protocol. */
export function terraformTarget(method: string, path: string): TerraformTarget | undefined {
  const [, project, infrastructure] = PATH.exec(path) ?? [];
  const call = Object.hasOwn(CALLS, method) ? CALLS[method as keyof typeof CALLS] : undefined;
  const [namespace, name] = [decoded(project), decoded(infrastructure)];
  if (!call || namespace === undefined || name === undefined) return undefined;
  const { group, version, plural } = INFRASTRUCTURE;
  return { ref: { group, version, plural, namespace, name }, ...call };
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
