import type { Policy, PolicyEnforcement } from '@crate/api';

const PACK = 'policy.crate.dev/pack';

/** What of the rules is wanted; absent is any. */
export interface RuleFilter {
  readonly q?: string | undefined;
  readonly pack?: string | undefined;
  readonly level?: string | undefined;
  readonly severity?: string | undefined;
  readonly stage?: string | undefined;
}

/**
 * A rule with every field that is always there. One that was stored by another release may lack some: what cannot be read
 * counts as the strictest. Pure.
 */
export function wholeRule(policy: Policy): Policy {
  const stated: Partial<Policy['spec']> = policy.spec;
  return {
    ...policy,
    spec: {
      title: policy.metadata.name,
      level: 'must',
      severity: 'medium',
      matchConditions: [],
      params: {},
      variables: [],
      validations: [],
      auditAnnotations: [],
      remedy: '–',
      references: [],
      enforcement: 'enforce',
      exceptions: [],
      waivableBy: 'Nobody',
      ...stated,
      match: { stages: [], ...(stated?.match as Partial<Policy['spec']['match']>) },
    },
  };
}

/** The pack that a rule came with; empty: people wrote it. Pure. */
export function packOf({ metadata }: Policy): string {
  return metadata.labels?.[PACK] ?? '';
}

/** How a rule acts in a Project; undefined where it does not apply. The first exception that names the Project counts. Pure. */
export function enforcementIn({ spec }: Policy, project: string): PolicyEnforcement | undefined {
  const { projects, excludeProjects = [] } = spec.match;
  if (projects && !isNamed(projects, project)) return undefined;
  if (isNamed(excludeProjects, project)) return undefined;
  const exception = spec.exceptions.find((each) => isNamed(each.projects, project));
  return exception?.enforcement ?? spec.enforcement;
}

/** Rules that fit, by name. Pure. */
export function rulesFor(policies: readonly Policy[], filter: RuleFilter): readonly Policy[] {
  const words = (filter.q ?? '').toLowerCase();
  return policies
    .map(wholeRule)
    .filter(
      (policy) =>
        (filter.pack === undefined || packOf(policy) === (filter.pack === 'own' ? '' : filter.pack)) &&
        (filter.level === undefined || policy.spec.level === filter.level) &&
        (filter.severity === undefined || policy.spec.severity === filter.severity) &&
        (filter.stage === undefined || policy.spec.match.stages.some((stage) => stage === filter.stage)) &&
        textOf(policy).includes(words),
    )
    .sort((left, right) => left.metadata.name.localeCompare(right.metadata.name));
}

function textOf({ metadata, spec }: Policy): string {
  return `${metadata.name} ${spec.title} ${spec.description ?? ''} ${spec.references.join(' ')}`.toLowerCase();
}

/** `team-*` names a family. */
function isNamed(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
    return new RegExp(`^${parts.join('.*')}$`).test(name);
  });
}
