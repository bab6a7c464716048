import { POLICY, type Policy } from '@crate/api';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { compilePolicy } from '../policy/compiled-policy.js';
import { policyAdmission } from '../policy/policy.admission.js';
import type { CataloguedPolicy } from '../policy/policy.catalogue.js';

/** The spec of a rule over cluster specs that objects to every name but "demo". */
export const NAMED_DEMO: Policy['spec'] = {
  stage: 'ClusterSpec',
  level: 'must',
  title: 'The name is demo',
  expression: 'document.metadata.name == "demo"',
  message: '"The name is " + document.metadata.name',
  field: 'metadata.name',
  remedy: 'Use demo',
  references: [],
};

export function aPolicy(name: string, spec: Partial<Policy['spec']> = {}): Policy {
  const metadata = { name, uid: name, resourceVersion: '1', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  return { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec: { ...NAMED_DEMO, ...spec } };
}

export function catalogued(name: string, spec: Partial<Policy['spec']> = {}): CataloguedPolicy {
  const policy = aPolicy(name, spec);
  return { policy, compilation: compilePolicy(policy.spec) };
}

/** Policies behind the real API with its admission, in memory. */
export function policyApi(): { store: InMemoryResourceStore; client: TypedClient<Policy> } {
  const store = new InMemoryResourceStore();
  const kinds = new KindRegistry([{ definition: POLICY, admit: [policyAdmission] }]);
  const context = { caller: { user: 'test', groups: [] }, traceId: '0'.repeat(31) + '1' };
  return { store, client: new TypedClient(new LocalResourceApi({ store, kinds }), POLICY, context) };
}
