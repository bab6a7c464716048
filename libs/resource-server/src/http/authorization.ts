import { forbidden, type PlatformError } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The verbs of authorisation, as Kubernetes names them. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

const READING: readonly string[] = ['get', 'list', 'watch'] satisfies Verb[];

/** What a caller wants to do to a resource. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace?: string;
  readonly name?: string;
}

/** What a caller wants to do to a path that is not a resource. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** `path` is in those of a path alone. */
export type AuthorizationAttributes = ResourceAttributes | PathAttributes;

/** Who sends the request; throws Unauthenticated. May set headers of the answer, such as a renewed cookie. */
export type Authenticate = (request: IncomingMessage, response: ServerResponse) => Promise<Caller>;

/** Throws Forbidden, best made by `forbiddenFor`. */
export type Authorize = (caller: Caller, attributes: AuthorizationAttributes) => Promise<void>;

/**
 * The same, but nobody may write a status: it is what the owner of a kind observed, and owners do not come in by this door.
 * For servers whose callers are people and machines; controllers of a cluster do write statuses.
 */
export function withoutStatusWrites(authorize: Authorize): Authorize {
  return async (caller, attributes) => {
    if ('path' in attributes || attributes.subresource !== 'status' || READING.includes(attributes.verb)) {
      return authorize(caller, attributes);
    }
    throw forbiddenFor(
      caller,
      attributes,
      'a status is written by the service that owns the kind, and read by all others',
    );
  };
}

/** The 403 in Kubernetes' words: `clusters.lifecycle.crate.dev is forbidden: User "x" cannot list resource …`. */
export function forbiddenFor(caller: Caller, attributes: AuthorizationAttributes, reason?: string): PlatformError {
  const who = `User ${JSON.stringify(caller.user)} cannot ${attributes.verb}`;
  const why = reason === undefined ? '' : `: ${reason}`;
  if ('path' in attributes) return forbidden(`forbidden: ${who} path ${JSON.stringify(attributes.path)}${why}`);
  const { group, resource, subresource, namespace, name } = attributes;
  const target = subresource === undefined ? resource : `${resource}/${subresource}`;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const subject = name === undefined ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const text = `${subject} is forbidden: ${who} resource ${JSON.stringify(target)} in API group ${JSON.stringify(group)} ${where}${why}`;
  return forbidden(text, { group, kind: resource, ...(name === undefined ? {} : { name }) });
}
