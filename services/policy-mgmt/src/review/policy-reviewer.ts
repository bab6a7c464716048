import type { PolicyLevel, PolicyReviewRequest, PolicyReviewResponse, PolicyViolation } from '@crate/api';
import type { Logger } from '@crate/telemetry';
import { evaluationMistake, withinTime, type Bindings } from '@crate/cel';
import { compilePolicy } from '../policy/compiled-policy.js';
import type { CataloguedPolicy } from '../policy/policy.catalogue.js';
import { judge, type Objection } from './judge.js';
import { bindingsFor } from './stage-bindings.js';

/** Time for one rule, and for all rules of a review: callers wait five seconds. Real rules take a millisecond. */
const RULE_MS = 1000;
const REVIEW_MS = 4000;

const RANK: Readonly<Record<PolicyLevel, number>> = { must: 0, should: 1, may: 2 };

/** Judges documents by rules. */
export class PolicyReviewer {
  constructor(
    private readonly logger: Logger,
    private readonly limits = { ruleMs: RULE_MS, reviewMs: REVIEW_MS },
  ) {}

  /** Never throws because of a rule: one that cannot be evaluated counts as violated, so a broken `must` denies. */
  review(request: PolicyReviewRequest, policies: readonly CataloguedPolicy[]): PolicyReviewResponse {
    const bindings = bindingsFor(request);
    const end = performance.now() + this.limits.reviewMs;
    const violations = policies.flatMap((entry) => this.violationsOf(entry, bindings, end));
    return {
      allowed: !violations.some(({ level }) => level === 'must'),
      violations: violations.sort(byLevel),
    };
  }

  private violationsOf(entry: CataloguedPolicy, bindings: Bindings, end: number): readonly PolicyViolation[] {
    const { metadata, spec } = entry.policy;
    const { level, title, remedy, references } = spec;
    const common = { policy: metadata.name, level, title, references };
    try {
      return this.objections(entry, bindings, end).map((objection) => ({ ...common, remedy, ...objection }));
    } catch (error) {
      this.logger.warn('Counting a policy as violated that cannot be evaluated', { error, policy: metadata.name });
      const message = `The policy cannot be evaluated: ${evaluationMistake(error)}`;
      const ask = 'Ask whoever maintains the policies to correct this one';
      return [{ ...common, field: plainField(spec.field), message, remedy: ask }];
    }
  }

  private objections(entry: CataloguedPolicy, bindings: Bindings, end: number): readonly Objection[] {
    const { compilation, policy } = entry;
    if (!compilation.ok) throw new Error(compilation.mistakes.map(({ message }) => message).join(', '));
    const limitMs = Math.floor(Math.min(this.limits.ruleMs, end - performance.now()));
    if (limitMs <= 0) throw new Error('The time for the review was over');
    try {
      return withinTime(limitMs, () => judge(compilation.policy, bindings));
    } catch (error) {
      // The evaluator may have been stopped anywhere; what it kept inside must not reach the next review.
      Object.assign(compilation, compilePolicy(policy.spec));
      throw error;
    }
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
