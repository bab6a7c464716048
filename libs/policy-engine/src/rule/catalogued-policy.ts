import type { Policy, PolicyStage } from '@crate/api';
import { compilePolicy, type PolicyCompilation } from './compiled-policy.js';

/** A stored rule and, for each of its stages, what became of compiling it. */
export interface CataloguedPolicy {
  readonly policy: Policy;
  readonly compilations: ReadonlyMap<PolicyStage, PolicyCompilation>;
}

/** Compiles a rule for all its stages. Never throws. */
export function catalogued(policy: Policy): CataloguedPolicy {
  const stages = [...new Set(policy.spec.match.stages)];
  return { policy, compilations: new Map(stages.map((stage) => [stage, compilePolicy(policy.spec, stage)])) };
}
