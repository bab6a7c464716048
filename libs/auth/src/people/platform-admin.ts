import type { Caller } from '@crate/resource-client';

/** Members may do everything. */
export const PLATFORM_ADMIN_GROUP = 'platform-admin';

/** What a person wants to do, in the words of a Kubernetes SubjectAccessReview. */
export type AccessAttributes =
  | {
      /** get, list, watch, create, update, patch, delete or deletecollection. */
      readonly verb: string;
      readonly group: string;
      /** Plural. */
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly verb: string; readonly path: string };

export interface AccessDecision {
  readonly allowed: boolean;
  /** For the person: why. */
  readonly reason: string;
}

/** Asking "what may I do?" and "who am I?" is open to everyone who is signed in. */
const SELF_REVIEWS: Readonly<Record<string, readonly string[]>> = {
  'authorization.k8s.io': ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  'authentication.k8s.io': ['selfsubjectreviews'],
};

/** Discovery, as Kubernetes' `system:discovery` role lists it. */
const DISCOVERY = /^\/(version|api|apis|openapi|healthz|livez|readyz)(\/|$)/;

/** Decides about one request of a person. Members of a Project come with roles; until then only administrators act. */
export function authorizeUser(caller: Caller, attributes: AccessAttributes): AccessDecision {
  if (caller.groups.includes(PLATFORM_ADMIN_GROUP))
    return { allowed: true, reason: `Member of ${PLATFORM_ADMIN_GROUP}` };
  if ('path' in attributes) return decide(isDiscovery(attributes.verb, attributes.path));
  const { verb, group, resource } = attributes;
  return decide(verb === 'create' && (SELF_REVIEWS[group]?.includes(resource) ?? false));
}

function isDiscovery(verb: string, path: string): boolean {
  return verb === 'get' && DISCOVERY.test(path);
}

function decide(allowed: boolean): AccessDecision {
  return { allowed, reason: allowed ? 'Open to everyone who is signed in' : `Needs group ${PLATFORM_ADMIN_GROUP}` };
}
