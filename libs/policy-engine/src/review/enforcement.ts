import type { PolicyEffect, PolicyEnforcement, PolicyLevel, PolicySpec } from '@crate/api';
import { fits } from './match.js';

/** How a rule acts in a Project, and by which params. */
export interface EnforcementInProject {
  readonly enforcement: PolicyEnforcement;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The first exception that names the Project counts; its params are laid over the rule's, member by member. */
export function enforcementIn({ enforcement, params, exceptions }: PolicySpec, project: string): EnforcementInProject {
  const exception = exceptions.find(({ projects }) => projects.some((pattern) => fits(pattern, project)));
  return {
    enforcement: exception?.enforcement ?? enforcement,
    params: exception?.params ? { ...params, ...exception.params } : params,
  };
}

const EFFECTS: Readonly<Record<PolicyEnforcement, Readonly<Record<PolicyLevel, PolicyEffect>>>> = {
  enforce: { must: 'deny', should: 'warn', may: 'inform' },
  warn: { must: 'warn', should: 'warn', may: 'inform' },
  'dry-run': { must: 'record', should: 'record', may: 'record' },
};

/** What a violation leads to. */
export function effectOf(enforcement: PolicyEnforcement, level: PolicyLevel): PolicyEffect {
  return EFFECTS[enforcement][level];
}
