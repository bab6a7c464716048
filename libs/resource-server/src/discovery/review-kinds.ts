import type { DiscoveredResource } from './verbs.js';

/** Questions about oneself that every server answers; they are not stored. */
export const REVIEW_GROUPS: readonly {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
}[] = [
  { group: 'authentication.k8s.io', version: 'v1', resources: [review('SelfSubjectReview')] },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    resources: [review('SelfSubjectAccessReview'), review('SelfSubjectRulesReview')],
  },
];

function review(kind: string): DiscoveredResource {
  const singular = kind.toLowerCase();
  const rest = { namespaced: false, verbs: ['create'], shortNames: [], categories: [], subresources: [] };
  return { plural: `${singular}s`, singular, kind, ...rest };
}
