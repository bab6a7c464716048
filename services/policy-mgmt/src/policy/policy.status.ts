import { conditionFalse, conditionTrue, mergeConditions, type Policy } from '@crate/api';
import type { PolicyCompilation } from './compiled-policy.js';

type PolicyStatus = NonNullable<Policy['status']>;

/** Pure. `Ready` says whether the rule can be judged with; `Synced` that this generation was looked at. */
export function policyStatus(policy: Policy, compilation: PolicyCompilation, now: Date): PolicyStatus {
  const { generation } = policy.metadata;
  const facts = [readiness(compilation), conditionTrue('Synced', 'Ready')];
  const conditions = mergeConditions(policy.status?.conditions, facts, { generation, now });
  return { observedGeneration: generation, conditions };
}

function readiness(compilation: PolicyCompilation): ReturnType<typeof conditionTrue> {
  if (compilation.ok) return conditionTrue('Ready', 'Ready', 'Reviews apply the rule');
  const [first] = compilation.mistakes;
  return conditionFalse('Ready', 'InvalidSpec', `${first?.field ?? 'spec'}: ${first?.message ?? 'invalid'}`);
}
