import type { Policy } from '@crate/api';
import { catalogued, type CataloguedPolicy } from '../rule/catalogued-policy.js';

/** The spec of a rule over cluster specs that objects to every name but "demo". */
export const NAMED_DEMO: Policy['spec'] = {
  title: 'The name is demo',
  level: 'must',
  severity: 'medium',
  match: { stages: ['ClusterSpec'] },
  matchConditions: [],
  params: {},
  variables: [],
  validations: [
    {
      expression: 'object.metadata.name == "demo"',
      messageExpression: '"The name is " + object.metadata.name',
      field: 'metadata.name',
    },
  ],
  auditAnnotations: [],
  remedy: 'Use demo',
  references: [],
  enforcement: 'enforce',
  exceptions: [],
  waivableBy: 'ProjectAdmin',
};

/** A rule as it is stored, for tests. */
export function aPolicy(name: string, spec: Partial<Policy['spec']> = {}): Policy {
  const metadata = { name, uid: name, resourceVersion: '1', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  return { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec: { ...NAMED_DEMO, ...spec } };
}

/** The same, compiled. */
export function aRule(name: string, spec: Partial<Policy['spec']> = {}): CataloguedPolicy {
  return catalogued(aPolicy(name, spec));
}
