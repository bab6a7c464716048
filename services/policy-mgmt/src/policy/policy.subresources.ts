import type { Policy } from '@crate/api';
import type { PackedPolicy, RuleReviewer } from '@crate/policy-engine';
import type { SubresourceHandler } from '@crate/resource-server';
import { EvaluationPace } from './evaluation-pace.js';
import { evaluatePolicy } from './policy.evaluation.js';
import { policyExamples } from './policy.examples.js';

export interface PolicySubresourceParts {
  readonly reviewer: RuleReviewer;
  /** What a pack ships with the rule; undefined of a rule that came from none. */
  readonly shippedWith: (policy: Policy) => PackedPolicy['examples'] | undefined;
}

/** `examples` and `evaluate` of a rule. */
export function policySubresources(parts: PolicySubresourceParts): Readonly<Record<string, SubresourceHandler>> {
  const pace = new EvaluationPace();
  return {
    examples: {
      read: (object) => Promise.resolve(policyExamples(object as Policy, parts.shippedWith(object as Policy))),
    },
    evaluate: {
      write: (object, _ref, { body }) => pace.run(() => evaluatePolicy(object as Policy, body, parts.reviewer)),
    },
  };
}
