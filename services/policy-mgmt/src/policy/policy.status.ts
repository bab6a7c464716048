import { conditionFalse, conditionTrue, mergeConditions, type Policy } from '@crate/api';
import type { PolicyCompilation } from '@crate/policy-engine';

type PolicyStatus = NonNullable<Policy['status']>;

/** Pure. `Ready` says whether the rule can be judged with; `Synced` that this generation was looked at. */
export function policyStatus(policy: Policy, compilations: readonly PolicyCompilation[], now: Date): PolicyStatus {
  const { generation } = policy.metadata;
  const facts = [readiness(compilations), conditionTrue('Synced', 'Ready')];
  const conditions = mergeConditions(policy.status?.conditions, facts, { generation, now });
  return { observedGeneration: generation, conditions };
}

function readiness(compilations: readonly PolicyCompilation[]): ReturnType<typeof conditionTrue> {
  const [first] = compilations.flatMap((compilation) => (compilation.ok ? [] : compilation.mistakes));
  if (!first) return conditionTrue('Ready', 'Ready', 'Reviews apply the rule');
  return conditionFalse('Ready', 'InvalidSpec', `${first.field ?? 'spec'}: ${first.message}`);
}
