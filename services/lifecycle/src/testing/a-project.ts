import { PROJECT, type Project } from '@crate/api';
import type { Caller } from '@crate/resource-client';
import { aMeta } from './a-cluster.js';

/** Builds a valid Project. */
export function aProject(name: string, spec: Record<string, unknown> = {}): Project {
  const parsed = PROJECT.body.parse({ spec }) as { spec: Project['spec'] };
  const { namespace: _none, ...metadata } = aMeta(name);
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata, ...parsed };
}

export function person(user: string, ...groups: string[]): Caller {
  return { user, groups: [...groups, 'system:authenticated'] };
}

/** Who an API key of a Project signs in. */
export function apiKey(project: string, role: string): Caller {
  return {
    user: `system:apikey:${project}:pipeline`,
    groups: ['system:authenticated', `system:apikeys:${project}`],
    extra: { 'authentication.crate.dev/project': [project], 'authentication.crate.dev/role': [role] },
  };
}
