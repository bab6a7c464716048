import type { Caller } from '@crate/resource-client';
import { forbiddenFor, type AuthorizationAttributes, type ResourceAttributes } from '@crate/resource-server';
import {
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  ROLE,
  ROLE_BINDING,
  type BindingObject,
  type PolicyRule,
} from '../kinds/rbac.js';
import type { ObjectCache } from '../runtime/object-cache.js';

/** Role-based access control. Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
export class RbacAuthorizer {
  constructor(private readonly cache: ObjectCache) {}

  /** Throws Forbidden. */
  authorize(caller: Caller, attributes: AuthorizationAttributes): Promise<void> {
    if (caller.groups.includes('system:masters') || this.isAllowed(caller, attributes)) return Promise.resolve();
    throw forbiddenFor(caller, attributes);
  }

  private isAllowed(caller: Caller, attributes: AuthorizationAttributes): boolean {
    const clusterWide = this.cache
      .list(CLUSTER_ROLE_BINDING)
      .filter((binding) => names(binding, caller))
      .flatMap((binding) => this.rulesOf(binding, undefined));
    if (clusterWide.some((rule) => permits(rule, attributes))) return true;
    const namespace = 'path' in attributes ? undefined : attributes.namespace;
    if (namespace === undefined) return false;
    return this.cache
      .list(ROLE_BINDING, namespace)
      .filter((binding) => names(binding, caller))
      .flatMap((binding) => this.rulesOf(binding, namespace))
      .some((rule) => permits(rule, attributes));
  }

  private rulesOf({ roleRef }: BindingObject, namespace: string | undefined): readonly PolicyRule[] {
    const role =
      roleRef.kind === 'ClusterRole'
        ? this.cache.find(CLUSTER_ROLE, roleRef.name)
        : this.cache.find(ROLE, roleRef.name, namespace);
    return role?.rules ?? [];
  }
}

function names({ subjects, metadata }: BindingObject, { user, groups }: Caller): boolean {
  return (subjects ?? []).some(({ kind, name, namespace }) => {
    if (kind === 'Group') return groups.includes(name);
    if (kind === 'User') return user === name;
    return user === `system:serviceaccount:${namespace ?? metadata.namespace ?? ''}:${name}`;
  });
}

function permits(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!covers(rule.verbs, attributes.verb)) return false;
  if ('path' in attributes) {
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith('*') ? attributes.path.startsWith(url.slice(0, -1)) : attributes.path === url,
    );
  }
  return permitsResource(rule, attributes);
}

function permitsResource(rule: PolicyRule, { group, resource, subresource, name }: ResourceAttributes): boolean {
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const isNamed = !rule.resourceNames || (name !== undefined && rule.resourceNames.includes(name));
  return covers(rule.apiGroups ?? [], group) && covers(rule.resources ?? [], full) && isNamed;
}

function covers(allowed: readonly string[], value: string): boolean {
  return allowed.includes('*') || allowed.includes(value);
}
