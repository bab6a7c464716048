import type { KindInfo } from '@crate/resource-client';

const RESOURCE_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS_VERBS = ['get', 'patch', 'update'];

/** What discovery says of a resource and its subresources. */
export interface DiscoveredResource {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly DiscoveredSubresource[];
}

/** A subresource; `responseKind` is set when it answers with another kind than its resource. */
export interface DiscoveredSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly responseKind?: { readonly group: string; readonly version: string; readonly kind: string };
}

const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** A served kind as discovery shows it. */
export function discovered(kind: KindInfo): DiscoveredResource {
  const { plural, singular, namespaced, shortNames, categories } = kind;
  const verbs: readonly string[] = kind.verbs ?? RESOURCE_VERBS;
  const status = kind.hasStatus ? [{ name: 'status', verbs: STATUS_VERBS.filter((verb) => verbs.includes(verb)) }] : [];
  const further = kind.subresources.map(({ name, verbs }) =>
    name === 'scale' ? { name, verbs, responseKind: SCALE_KIND } : { name, verbs },
  );
  const subresources = [...status, ...further];
  return { plural, singular, kind: kind.kind, namespaced, verbs, shortNames, categories, subresources };
}
