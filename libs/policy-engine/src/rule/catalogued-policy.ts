import type { Policy, PolicyStage } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { compilePolicy, type PolicyCompilation } from './compiled-policy.js';
import { storedPolicy } from './stored-policy.js';

/** A stored rule and, for each of its stages, what became of compiling it. */
export interface CataloguedPolicy {
  readonly policy: Policy;
  readonly compilations: ReadonlyMap<PolicyStage, PolicyCompilation>;
  /** What cannot be read of it, so that it objects to all it may be about; absent: nothing. */
  readonly unreadable?: readonly ErrorCause[];
}

/** Reads a stored rule and compiles it for all its stages. Never throws: a rule that cannot be read objects, as one that does not compile. */
export function catalogued(stored: Policy): CataloguedPolicy {
  const { policy, unreadable } = storedPolicy(stored);
  const stages = [...new Set(policy.spec.match.stages)];
  const compiled = (stage: PolicyStage): PolicyCompilation =>
    unreadable ? { ok: false, mistakes: unreadable } : compilePolicy(policy.spec, stage);
  const compilations = new Map(stages.map((stage) => [stage, compiled(stage)]));
  return { policy, compilations, ...(unreadable ? { unreadable } : {}) };
}

/** The same rule with metadata and status as they are now. */
export function withMetadataOf(rule: CataloguedPolicy, { metadata, status }: Policy): CataloguedPolicy {
  const { status: _before, ...policy } = rule.policy;
  return { ...rule, policy: { ...policy, metadata, ...(status ? { status } : {}) } };
}
