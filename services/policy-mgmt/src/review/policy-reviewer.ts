import type { PolicyLevel, PolicyReviewRequest, PolicyReviewResponse, PolicyViolation } from '@crate/api';
import type { Logger } from '@crate/telemetry';
import { evaluationMistake } from '@crate/cel';
import type { CataloguedPolicy } from '../policy/policy.catalogue.js';
import { judgeAll, type ReviewLimits, type Verdict } from './judge-all.js';
import { bindingsFor } from './stage-bindings.js';

/** Time for one rule, and for all rules of a review: callers wait five seconds. Real rules take a millisecond. */
const RULE_MS = 1000;
const REVIEW_MS = 4000;

const RANK: Readonly<Record<PolicyLevel, number>> = { must: 0, should: 1, may: 2 };

/** Judges documents by rules. */
export class PolicyReviewer {
  constructor(
    private readonly logger: Logger,
    private readonly limits: ReviewLimits = { ruleMs: RULE_MS, reviewMs: REVIEW_MS },
  ) {}

  /** Never throws because of a rule: one that cannot be evaluated counts as violated, so a broken `must` denies. */
  review(request: PolicyReviewRequest, policies: readonly CataloguedPolicy[]): PolicyReviewResponse {
    const verdicts = judgeAll(policies, bindingsFor(request), this.limits);
    const violations = policies.flatMap((entry, index) => this.violationsOf(entry, verdicts[index]));
    return {
      allowed: !violations.some(({ level }) => level === 'must'),
      violations: violations.sort(byLevel),
    };
  }

  private violationsOf({ policy }: CataloguedPolicy, verdict: Verdict | undefined): readonly PolicyViolation[] {
    const { metadata, spec } = policy;
    const { level, title, remedy, references } = spec;
    const common = { policy: metadata.name, level, title, references };
    if (verdict && 'objections' in verdict) {
      return verdict.objections.map((objection) => ({ ...common, remedy, ...objection }));
    }
    const error = verdict?.error;
    this.logger.warn('Counting a policy as violated that cannot be evaluated', { error, policy: metadata.name });
    const message = `The policy cannot be evaluated: ${evaluationMistake(error)}`;
    const ask = 'Ask whoever maintains the policies to correct this one';
    return [{ ...common, field: plainField(spec.field), message, remedy: ask }];
  }
}

/** A field that has to be computed may be what failed. */
function plainField(field: string): string {
  return field.includes('"') ? 'spec' : field;
}

function byLevel(left: PolicyViolation, right: PolicyViolation): number {
  return RANK[left.level] - RANK[right.level] || compare(left.policy, right.policy) || compare(left.field, right.field);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
