import { POLICY, type Policy } from '@crate/api';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { policyAdmission } from '../policy/policy.admission.js';

/** Policies behind the real API with its admission, in memory. */
export function policyApi(): { store: InMemoryResourceStore; client: TypedClient<Policy> } {
  const store = new InMemoryResourceStore();
  const kinds = new KindRegistry([{ definition: POLICY, admit: [policyAdmission] }]);
  const context = { caller: { user: 'test', groups: [] }, traceId: '0'.repeat(31) + '1' };
  return { store, client: new TypedClient(new LocalResourceApi({ store, kinds }), POLICY, context) };
}
